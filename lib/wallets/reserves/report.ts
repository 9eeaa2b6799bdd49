// Reports of held and owed amounts: the latest one, and their history.

import type { ChainId } from "@/lib/base/chains";
import { DAY_MS, HOUR_MS } from "@/lib/base/clock";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { inTransaction, type Prisma, prisma, type Transaction } from "@/lib/db/prisma";
import type { Holding } from "./holding";
import type { UnknownReason } from "./not-known";
import type { Reckoning } from "./reconcile";

export interface UnknownReport {
  state: "unknown";
  at: Date;
  reason: UnknownReason;
  /** Null when the reason is not specific to one chain. */
  chain: ChainId | null;
}

export interface KnownReport extends Reckoning {
  state: "covered" | "deficit";
}

export type ReserveReport = KnownReport | UnknownReport;

/** Stores a report, and thins out old ones. */
export async function addReport(report: ReserveReport): Promise<void> {
  const { holdings, ...row } = report.state === "unknown" ? { ...report, holdings: [] } : report;
  await inTransaction(async (transaction) => {
    await transaction.reserveReport.create({ data: { ...row, holdings: { create: holdings } } });
    await thinOut(report.at, transaction);
  });
}

/** Reports younger than this are all kept. */
const WHOLE_MS = 2 * DAY_MS;
/** Reports are thinned as they get older than `WHOLE_MS`, within this window; those beyond it were thinned before. */
const THINNED_MS = 7 * DAY_MS;
const KEPT_MS = 400 * DAY_MS;

/** Which report of an hour is kept: the lowest rank. */
const RANK: Readonly<Record<string, number>> = { deficit: 0, covered: 1, unknown: 2 };

async function thinOut(at: Date, transaction: Transaction): Promise<void> {
  const beforeMs = hourOf(new Date(at.getTime() - WHOLE_MS)) * HOUR_MS;
  const aged = await transaction.reserveReport.findMany({
    where: { at: { gte: new Date(beforeMs - THINNED_MS), lt: new Date(beforeMs) } },
    select: { id: true, at: true, state: true },
    orderBy: [{ at: "desc" }, { id: "desc" }],
  });
  const kept = new Map<number, (typeof aged)[number]>();
  for (const report of aged) {
    const rival = kept.get(hourOf(report.at));
    if (!rival || rankOf(report) < rankOf(rival)) kept.set(hourOf(report.at), report);
  }
  const ids = aged.filter((report) => kept.get(hourOf(report.at)) !== report).map(({ id }) => id);
  if (ids.length > 0) await transaction.reserveReport.deleteMany({ where: { id: { in: ids } } });
  await transaction.reserveReport.deleteMany({ where: { at: { lt: new Date(at.getTime() - KEPT_MS) } } });
}

const hourOf = (at: Date): number => Math.floor(at.getTime() / HOUR_MS);
const rankOf = ({ state }: { state: string }): number => RANK[state] ?? Infinity;

const withHoldings = { holdings: { omit: { reportId: true }, orderBy: { chain: "asc" } } } as const;

type Row = Prisma.ReserveReportGetPayload<{ include: typeof withHoldings }>;

/** The report made last, whatever its timestamp; null before the first. */
export async function findNewestReport(): Promise<ReserveReport | null> {
  const row = await prisma().reserveReport.findFirst({ orderBy: { id: "desc" }, include: withHoldings });
  if (row?.state !== "unknown") return row && readKnown(row);
  const { at, reason, chain } = row;
  return { state: "unknown", at, reason: (reason as UnknownReason | null) ?? "away", chain: chain as ChainId | null };
}

/** The newest report with figures, which applies while the newest is unknown. With `state`, the newest of that state. */
export async function findKnownReport(state?: KnownReport["state"]): Promise<KnownReport | null> {
  const where = { state: state ?? { not: "unknown" } };
  const row = await prisma().reserveReport.findFirst({ where, orderBy: { id: "desc" }, include: withHoldings });
  return row && readKnown(row);
}

function readKnown({ id, at, state, held, owed, customers, credits, granted, holdings }: Row): KnownReport {
  if (state === "unknown" || held === null || owed === null || customers === null || credits === null || granted === null) {
    throw new Error(`Report ${id} of reserves lacks its figures.`);
  }
  const figures = { held: nanoUsd(held), owed: nanoUsd(owed), customers: nanoUsd(customers), credits: nanoUsd(credits) };
  return { at, state: state as KnownReport["state"], ...figures, granted: nanoUsd(granted), holdings: holdings.map(readHolding) };
}

const readHolding = ({ chain, treasury, atAddresses, ...row }: Row["holdings"][number]): Holding => ({
  ...row,
  chain: chain as ChainId,
  treasury: nanoUsd(treasury),
  atAddresses: nanoUsd(atAddresses),
});

/** nano-USD at one moment. */
export interface CoursePoint {
  at: Date;
  held: NanoUsd;
  owed: NanoUsd;
}

/** One point per `stepMs` since `from`, oldest first: the step's last known report, or its last deficit if there was one. */
export async function readCourse(from: Date, stepMs: number): Promise<CoursePoint[]> {
  // Raw SQL: picks one of many rows per step.
  return prisma().$queryRaw<CoursePoint[]>`
    SELECT DISTINCT ON (step) at, held, owed
    FROM (SELECT r.*, date_bin(${`${stepMs} milliseconds`}::interval, r.at, timestamptz 'epoch') AS step FROM reserve_report r) AS report
    WHERE at >= ${from}::timestamptz AND state <> 'unknown'
    ORDER BY step, state = 'deficit' DESC, at DESC`;
}
