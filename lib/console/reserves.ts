// Reserves as anybody may see them: the last report, where its figures can be checked, and the course of a month.

import { nowMs } from "@/lib/base/clock";
import { usdText } from "@/lib/base/money";
import { addressUrl, blockUrl } from "@/lib/chains/explorer";
import { type Custody, findCustody } from "@/lib/wallets/custody";
import type { Holding } from "@/lib/wallets/reserves/holding";
import type { UnknownReason } from "@/lib/wallets/reserves/not-known";
import { type CoursePoint, findKnownReport, findNewestReport, type KnownReport, readCourse } from "@/lib/wallets/reserves/report";

/** Amounts in nano-USD. */
export interface Reserves {
  /** none: there is no report yet. */
  state: "covered" | "deficit" | "unknown" | "none";
  /** Why it is unknown, and of which chain; `stale`: nobody has made a report for long. */
  unknown: { reason: UnknownReason | "stale"; chain: "base" | "solana" | null; since: Date } | null;
  /** Of the newest report that has any: older than the state while that is unknown. */
  figures: ReserveFigures | null;
  course: CoursePoint[];
}

export interface ReserveFigures {
  at: Date;
  held: bigint;
  owed: bigint;
  /** Of what is owed, the balances of customers; the rest is on its way in or out. */
  customers: bigint;
  /** Of these, the credits of addresses that no account has proved as its own. */
  credits: bigint;
  /** Held for each unit that is owed, rounded down to four places: `1.0004`; null when nothing is owed. */
  coverage: string | null;
  places: ReservePlace[];
}

export interface ReservePlace {
  chain: "base" | "solana";
  /** A final block, on Solana a slot. */
  height: number;
  blockHash: string | null;
  blockUrl: string | null;
  treasury: { address: string; url: string | null; amount: bigint };
  deposits: { addresses: number; amount: bigint };
}

const STALE_MS = 30 * 60_000;
const COURSE_MS = 30 * 24 * 3_600_000;
const STEP_MS = 6 * 3_600_000;

/** Reads what was reported: no chain is asked. */
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
    ...{ chain, height, blockHash, blockUrl: blockUrl(chain, height) },
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

/** The same for programs: amounts are USD as decimal text. */
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
