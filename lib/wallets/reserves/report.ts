// Reports of what is held and what is owed: the one made last, and the course of them.

import type { NanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import type { DepositChain } from "../deposits/deposit";
import type { Holding } from "./holding";
import type { UnknownReason } from "./not-known";
import type { Reckoning } from "./reconcile";

export interface UnknownReport {
  state: "unknown";
  at: Date;
  reason: UnknownReason;
  /** Null when it is no single chain's matter. */
  chain: DepositChain | null;
}

export interface KnownReport extends Reckoning {
  state: "covered" | "deficit";
}

export type ReserveReport = KnownReport | UnknownReport;

export async function addReport(report: ReserveReport): Promise<void> {
  const { at, holdings, ...row } = report.state === "unknown" ? { ...report, holdings: [] } : report;
  await pool().query("SELECT wallets_add_reserve_report($1, $2, $3)", [toJson(row), toJson(holdings), at]);
}

const toJson = (value: object): string => JSON.stringify(value, (_, field) => (typeof field === "bigint" ? field.toString() : field));

interface Row {
  id: bigint;
  at: Date;
  state: ReserveReport["state"];
  reason: UnknownReason | null;
  chain: DepositChain | null;
  held: NanoUsd | null;
  owed: NanoUsd | null;
  customers: NanoUsd | null;
  credits: NanoUsd | null;
  granted: NanoUsd | null;
}

const columns = "r.id, r.at, r.state, r.reason, r.chain, r.held, r.owed, r.customers, r.credits, r.granted";

/** The report that was made last, whatever the clock said then; null before the first. */
export async function findNewestReport(): Promise<ReserveReport | null> {
  const { rows } = await pool().query<Row>(`SELECT ${columns} FROM reserve_report r ORDER BY r.id DESC LIMIT 1`);
  const [row] = rows;
  if (!row) return null;
  const { at, reason, chain } = row;
  return row.state === "unknown" ? { state: "unknown", at, reason: reason ?? "away", chain } : readKnown(row);
}

/** The newest with figures: what counts while the newest is unknown. `state`: the newest of that state. */
export async function findKnownReport(state: KnownReport["state"] | null = null): Promise<KnownReport | null> {
  const { rows } = await pool().query<Row>(
    `SELECT ${columns} FROM reserve_report r WHERE r.state <> 'unknown' AND ($1::text IS NULL OR r.state = $1)
     ORDER BY r.id DESC LIMIT 1`,
    [state],
  );
  const [row] = rows;
  return row ? readKnown(row) : null;
}

/** False while the newest report that says anything says that there is too little. What cannot be told stops nothing and frees nothing. */
export const areReservesWhole = async (): Promise<boolean> => (await findKnownReport())?.state !== "deficit";

async function readKnown({ id, at, state, held, owed, customers, credits, granted }: Row): Promise<KnownReport> {
  if (state === "unknown" || held === null || owed === null || customers === null || credits === null || granted === null) {
    throw new Error(`Report ${id} of reserves lacks its figures.`);
  }
  const { rows } = await pool().query<Holding>(
    `SELECT chain, height, block_hash AS "blockHash", treasury, at_addresses AS "atAddresses", addresses FROM reserve_holding
     WHERE report_id = $1 ORDER BY chain`,
    [id],
  );
  return { at, state, held, owed, customers, credits, granted, holdings: rows };
}

/** nano-USD at one moment. */
export interface CoursePoint {
  at: Date;
  held: NanoUsd;
  owed: NanoUsd;
}

/** One point for each `stepMs` since `from`, oldest first: the last one there that was known, or a deficit when there was one. */
export async function readCourse(from: Date, stepMs: number): Promise<CoursePoint[]> {
  const { rows } = await pool().query<CoursePoint>(
    `SELECT DISTINCT ON (date_bin($2::interval, r.at, timestamptz 'epoch')) r.at, r.held, r.owed FROM reserve_report r
     WHERE r.at >= $1 AND r.state <> 'unknown'
     ORDER BY date_bin($2::interval, r.at, timestamptz 'epoch'), r.state = 'deficit' DESC, r.at DESC`,
    [from, `${stepMs} milliseconds`],
  );
  return rows;
}
