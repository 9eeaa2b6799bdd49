// Requests that were refused or failed, for the owner who asks why. They are gathered in memory and written once a second, off the path of
// every request: a process that dies loses a second of them, and no money depends on them.

import { MINUTE_MS, nowMs } from "@/lib/base/clock";
import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { inTransaction, type Transaction } from "@/lib/db/prisma";

export interface FailedRequest {
  requestId: RequestId;
  accountId: AccountId;
  /** Null for the playground. */
  keyId: KeyId | null;
  endpoint: string;
  /** Null when the request failed before its model was read. */
  model: string | null;
  status: number;
  code: string;
}

interface Row extends FailedRequest {
  at: Date;
}

interface Count {
  accountId: AccountId;
  minute: Date;
  code: string;
  status: number;
  count: number;
}

interface Gathered {
  rows: Row[];
  counts: Map<string, Count>;
  /** How many rows each account has in the current minute. */
  minute: number;
  keptOf: Map<AccountId, number>;
  /** Neither kept nor counted, since the database has been away for long. */
  lost: number;
}

/** Of one account, minute and process, rows are kept; all others are counted. */
export const MAX_ROWS_A_MINUTE = 100;
/** While the database is away, memory holds no more than this. */
const MAX_ROWS = 10_000;
const MAX_COUNTS = 10_000;

const gathered = processSingleton<Gathered>("failed requests", () => ({
  rows: [],
  counts: new Map(),
  minute: 0,
  keptOf: new Map(),
  lost: 0,
}));

/** Remembers a failed request until the next `writeFailedRequests`. */
export function recordFailedRequest(failed: FailedRequest): void {
  const all = gathered();
  const atMs = nowMs();
  const minute = Math.floor(atMs / MINUTE_MS);
  if (minute !== all.minute) {
    all.minute = minute;
    all.keptOf.clear();
  }
  const kept = all.keptOf.get(failed.accountId) ?? 0;
  if (kept < MAX_ROWS_A_MINUTE && all.rows.length < MAX_ROWS) {
    all.keptOf.set(failed.accountId, kept + 1);
    all.rows.push({ ...failed, at: new Date(atMs) });
  } else countOne(all, failed, minute);
}

function countOne(all: Gathered, { accountId, code, status }: FailedRequest, minute: number): void {
  const key = `${accountId} ${minute} ${code}`;
  const known = all.counts.get(key);
  if (known) known.count += 1;
  else if (all.counts.size < MAX_COUNTS) all.counts.set(key, { accountId, code, status, minute: new Date(minute * MINUTE_MS), count: 1 });
  else all.lost += 1;
}

/** In one transaction: ten thousand would take longer than one may on a busy machine, and never be written. */
const MOST_AT_ONCE = 1_000;

/** Writes the failures gathered since the last call; keeps those that could not be written for the next call. */
export async function writeFailedRequests(): Promise<void> {
  const all = gathered();
  for (let left = Math.max(all.rows.length, all.counts.size); left > 0; left -= MOST_AT_ONCE) {
    const rows = all.rows.splice(0, MOST_AT_ONCE);
    const counts = takeCounts(all, MOST_AT_ONCE);
    try {
      await inTransaction((transaction) => write(rows, counts, transaction));
    } catch (error) {
      all.rows.unshift(...rows);
      for (const one of counts) mergeCount(all, one);
      throw error;
    }
  }
  if (all.lost > 0) log().warn({ requests: all.lost }, "failed requests were not recorded: the database was unavailable for too long");
  all.lost = 0;
}

function takeCounts({ counts }: Gathered, most: number): Count[] {
  const taken = [...counts].slice(0, most);
  for (const [key] of taken) counts.delete(key);
  return taken.map(([, one]) => one);
}

function mergeCount(all: Gathered, one: Count): void {
  const key = `${one.accountId} ${one.minute.getTime() / MINUTE_MS} ${one.code}`;
  const known = all.counts.get(key);
  if (known) known.count += one.count;
  else all.counts.set(key, one);
}

async function write(rows: Row[], counts: Count[], transaction: Transaction): Promise<void> {
  // A commit whose answer was lost is written again.
  if (rows.length > 0) await transaction.failedRequest.createMany({ data: rows, skipDuplicates: true });
  if (counts.length === 0) return;
  // One statement that adds to existing counts, which Prisma cannot express; in key order, so that two processes do not deadlock.
  const sorted = counts.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  await transaction.$executeRaw`
    INSERT INTO failed_request_count AS c (account_id, minute, code, status, count)
    SELECT * FROM unnest(${sorted.map(({ accountId }) => accountId)}::text[], ${sorted.map(({ minute }) => minute)}::timestamptz[],
      ${sorted.map(({ code }) => code)}::text[], ${sorted.map(({ status }) => status)}::integer[],
      ${sorted.map(({ count }) => count)}::integer[])
    ON CONFLICT (account_id, minute, code) DO UPDATE SET count = c.count + excluded.count`;
}

const keyOf = ({ accountId, minute, code }: Count): string => `${accountId} ${minute.toISOString()} ${code}`;
