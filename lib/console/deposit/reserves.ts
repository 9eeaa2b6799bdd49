// Public reserves: the last report, with figures that can be checked, and the course of a month.

import { DAY_MS, HOUR_MS, nowMs } from "@/lib/base/clock";
import { usdText } from "@/lib/base/money";
import { addressUrl, blockUrl } from "@/lib/chains/explorer";
import { type Custody, findCustody } from "@/lib/wallets/custody/custody";
import type { Holding } from "@/lib/wallets/reserves/holding";
import { findKnownReport, findNewestReport, type KnownReport, readCourse } from "@/lib/wallets/reserves/report";
import type { ReserveFigures, ReservePlace, Reserves } from "../views/reserves";

const STALE_MS = 30 * 60_000;
const COURSE_MS = 30 * DAY_MS;
const STEP_MS = 6 * HOUR_MS;

/** Reads the stored report: no chain is queried. */
export async function readReserves(): Promise<Reserves> {
  const [newest, known, custody, course] = await Promise.all([
    findNewestReport(),
    findKnownReport(),
    findCustody(),
    readCourse(new Date(nowMs() - COURSE_MS), STEP_MS),
  ]);
  const figures = known && custody ? figuresOf(known, custody) : null;
  if (!newest) return { state: "none", unknown: null, figures, course };
  const { at } = newest;
  if (newest.state === "unknown") {
    const { reason, chain } = newest;
    return { state: "unknown", unknown: { reason, chain, since: figures?.at ?? at }, figures, course };
  }
  const isStale = nowMs() - at.getTime() > STALE_MS;
  if (isStale) return { state: "unknown", unknown: { reason: "stale", chain: null, since: at }, figures, course };
  return { state: newest.state, unknown: null, figures, course };
}

function figuresOf({ at, held, owed, customers, credits, holdings }: KnownReport, custody: Custody): ReserveFigures {
  const places = holdings.map((holding) => placeOf(holding, custody));
  return { at, held, owed, customers, credits, coverage: coverageText(held, owed), places };
}

function placeOf({ chain, height, blockHash, treasury: amount, atAddresses, addresses }: Holding, { treasury }: Custody): ReservePlace {
  const address = treasury[chain];
  return {
    chain,
    height,
    blockHash,
    blockUrl: blockUrl(chain, height),
    treasury: { address, url: addressUrl(chain, address), amount },
    deposits: { addresses, amount: atAddresses },
  };
}

const PLACES = 10_000n;

function coverageText(held: bigint, owed: bigint): string | null {
  if (owed <= 0n) return null;
  const parts = (held * PLACES) / owed;
  return `${parts / PLACES}.${(parts % PLACES).toString().padStart(4, "0")}`;
}

/** The same as JSON for programs: amounts are USD as decimal text. */
export function reservesJson({ state, unknown, figures }: Reserves) {
  return {
    state,
    unknown: unknown && { reason: unknown.reason, chain: unknown.chain },
    reportedAt: figures?.at.toISOString() ?? null,
    owed: figures && usdText(figures.owed),
    owedToCustomers: figures && usdText(figures.customers - figures.credits),
    owedToAddresses: figures && usdText(figures.credits),
    held: figures && usdText(figures.held),
    surplus: figures && usdText(figures.held - figures.owed),
    coverage: figures?.coverage ?? null,
    chains: (figures?.places ?? []).map(({ chain, height, blockHash, treasury, deposits }) => ({
      chain,
      height,
      blockHash,
      treasury: { address: treasury.address, usdc: usdText(treasury.amount) },
      depositAddresses: { count: deposits.addresses, usdc: usdText(deposits.amount) },
    })),
  };
}
