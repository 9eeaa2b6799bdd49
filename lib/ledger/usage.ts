// Usage: what an account was charged, request by request or summed in groups. A page and its totals are one snapshot of the
// ledger, and all pages of a listing see the same charges: those that come meanwhile are left to the next listing.

import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { requestIdAt } from "@/lib/base/ids";
import { type NanoUsd, ZERO_USD } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { inTransaction, type Transaction } from "@/lib/db/prisma";

/** What charges can be grouped by; days are UTC. */
export const groupings = ["day", "model", "key"] as const;
export type Grouping = (typeof groupings)[number];

/** Charges of one account, by when they were charged; of one model or one key when they are named. */
export interface UsageSpan {
  accountId: AccountId;
  /** Unix milliseconds; a charge at `toMs` is not in it. */
  fromMs: number;
  toMs: number;
  model?: string;
  /** "" for the charges without a key. */
  keyId?: string;
  /** The `mark` of the listing's first page, so that its other pages see no newer charge; null for the first. */
  mark: bigint | null;
}

/** What charges come to together; costs in nano-USD, as the customer paid them. */
export interface UsageSums {
  requests: number;
  inputTokens: number;
  outputTokens: number;
  inputCost: NanoUsd;
  outputCost: NanoUsd;
}

/** Sums of the charges that agree in what they are grouped by; "" is what they are not grouped by, and the key of charges without one. */
export interface UsageGroup extends UsageSums {
  /** `2026-01-31` */
  day: string;
  model: string;
  keyId: string;
}

export type GroupPosition = Pick<UsageGroup, "day" | "model" | "keyId">;

export interface ChargedRequest {
  requestId: RequestId;
  /** When it was charged, which is at its end. */
  at: Date;
  model: string;
  keyId: KeyId | null;
  inputTokens: number;
  outputTokens: number;
  inputCost: NanoUsd;
  outputCost: NanoUsd;
  outcome: string;
  streamed: boolean;
}

export interface UsagePage<Row> {
  rows: Row[];
  /** True when rows follow after the last one. */
  more: boolean;
  /** Of the whole span, on every page. */
  totals: UsageSums;
  mark: bigint;
}

/** One page of the span's requests, those that came in last first; `before` is the last request of the page before. */
export function listChargedRequests(span: UsageSpan, limit: number, before: string | null): Promise<UsagePage<ChargedRequest>> {
  return readPage(span, limit, (transaction, mark) => selectOlder(transaction, { ...span, mark }, limit + 1, before));
}

type RowsPage = Pick<UsagePage<ChargedRequest>, "rows" | "more">;

/** The same page without its totals, which its reader has already. */
export async function listOlderRequests(span: UsageSpan & { mark: bigint }, limit: number, before: string | null): Promise<RowsPage> {
  const rows = await inSnapshot((transaction) => selectOlder(transaction, span, limit + 1, before));
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

/** The page that came in right after `after`, in the same order; `more` when newer ones follow. */
export async function listNewerRequests(span: UsageSpan & { mark: bigint }, limit: number, after: string): Promise<RowsPage> {
  const { rows } = await inSnapshot((transaction) =>
    transaction.query<ChargedRequest>(
      `SELECT ${chargeColumns} FROM charge ${whereInSpan} AND request_id > $9 ORDER BY request_id LIMIT $10`,
      [...spanValues(span, span.mark), after, limit + 1],
    ),
  );
  return { rows: rows.slice(0, limit).reverse(), more: rows.length > limit };
}

async function selectOlder(transaction: Transaction, span: UsageSpan & { mark: bigint }, most: number, before: string | null) {
  const { rows } = await transaction.query<ChargedRequest>(
    `SELECT ${chargeColumns} FROM charge ${whereInSpan} AND request_id < coalesce($9, '~') ORDER BY request_id DESC LIMIT $10`,
    [...spanValues(span, span.mark), before, most],
  );
  return rows;
}

/** What the span's charges come to, and the mark up to which they do. */
export async function readTotals(span: UsageSpan): Promise<{ totals: UsageSums; mark: bigint }> {
  const { totals, mark } = await readPage(span, 0, async () => []);
  return { totals, mark };
}

/** The account's last requests, the newest first, whenever they were. */
export async function listLatestRequests(accountId: AccountId, limit: number): Promise<ChargedRequest[]> {
  const text = `SELECT ${chargeColumns} FROM charge WHERE account_id = $1 ORDER BY request_id DESC LIMIT $2`;
  const { rows } = await pool().query<ChargedRequest>(text, [accountId, limit]);
  return rows;
}

/** One page of the span's charges in groups: the newest day first, then by model and key; `after` is the last group of the page before. */
export function listUsageGroups(
  span: UsageSpan,
  groupBy: readonly Grouping[],
  limit: number,
  after: GroupPosition | null,
): Promise<UsagePage<UsageGroup>> {
  return readPage(span, limit, async (transaction, mark) => {
    const { rows } = await transaction.query<UsageGroup>(
      `SELECT * FROM (
         SELECT CASE WHEN $9 THEN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') ELSE '' END COLLATE "C" AS day,
           CASE WHEN $10 THEN model ELSE '' END COLLATE "C" AS model,
           CASE WHEN $11 THEN coalesce(key_id, '') ELSE '' END COLLATE "C" AS "keyId", ${sums}
         FROM charge ${whereInSpan} GROUP BY 1, 2, 3
       ) g
       WHERE $12::text IS NULL OR g.day < $12 OR (g.day = $12 AND (g.model, g."keyId") > ($13, $14))
       ORDER BY g.day DESC, g.model, g."keyId" LIMIT $15`,
      [
        ...spanValues(span, mark),
        ...groupings.map((grouping) => groupBy.includes(grouping)),
        after?.day ?? null,
        after?.model ?? null,
        after?.keyId ?? null,
        limit + 1,
      ],
    );
    return rows;
  });
}

/** `readRows` returns one row more than the page holds when there are more. */
async function readPage<Row>(
  span: UsageSpan,
  limit: number,
  readRows: (transaction: Transaction, mark: bigint) => Promise<Row[]>,
): Promise<UsagePage<Row>> {
  return inSnapshot(async (transaction) => {
    const { newest, ...totals } = await sumSpan(transaction, span);
    const mark = span.mark ?? newest;
    const rows = await readRows(transaction, mark);
    return { rows: rows.slice(0, limit), more: rows.length > limit, totals, mark };
  });
}

const inSnapshot = <T>(read: (transaction: Transaction) => Promise<T>): Promise<T> =>
  inTransaction(async (transaction) => {
    await transaction.query(snapshotSettings);
    return read(transaction);
  });

// One process of the server at a time: a million charges take it a second or two, and requests want the others.
export const snapshotSettings = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL max_parallel_workers_per_gather = 0";

async function sumSpan(transaction: Transaction, span: UsageSpan): Promise<UsageSums & { newest: bigint }> {
  const { rows } = await transaction.query<UsageSums & { newest: bigint }>(
    `SELECT ${sums}, coalesce(max(seq), 0) AS newest FROM charge ${whereInSpan}`,
    spanValues(span, span.mark ?? LAST_SEQUENCE),
  );
  return rows[0] ?? { requests: 0, inputTokens: 0, outputTokens: 0, inputCost: ZERO_USD, outputCost: ZERO_USD, newest: 0n };
}

/** The columns of a `ChargedRequest`. */
export const chargeColumns = `request_id AS "requestId", at, model, key_id AS "keyId", input_tokens::float8 AS "inputTokens",
  output_tokens::float8 AS "outputTokens", input_cost AS "inputCost", output_cost AS "outputCost", outcome, streamed`;

// Counts as float8, which holds them exactly and arrives as a number; sums of bigint are numeric, and fit into one again.
const sums = `count(*)::float8 AS requests, coalesce(sum(input_tokens), 0)::float8 AS "inputTokens",
  coalesce(sum(output_tokens), 0)::float8 AS "outputTokens", coalesce(sum(input_cost), 0)::bigint AS "inputCost",
  coalesce(sum(output_cost), 0)::bigint AS "outputCost"`;

/** Takes the first eight parameters of a statement. The bounds on the id only make it a range of the primary key; `at` decides. */
export const whereInSpan = `WHERE account_id = $1 AND request_id >= $2 AND request_id < $3 AND at >= $4 AND at < $5 AND seq <= $6
  AND ($7::text IS NULL OR model = $7) AND ($8::text IS NULL OR coalesce(key_id, '') = $8)`;

/** An id is as old as its request, which ends within minutes; the rest of an hour is for clocks that were set. */
const ROOM_MS = 3_600_000;
const LAST_ID_MS = 62 ** 8 - 1;
export const LAST_SEQUENCE = 9_223_372_036_854_775_807n;

const boundOfIds = (ms: number): string => requestIdAt(Math.min(Math.max(0, ms), LAST_ID_MS));

/** No request that was charged at `ms` or later has a smaller id. */
export const firstIdSince = (ms: number): string => boundOfIds(ms - ROOM_MS);

/** The values of `whereInSpan`. */
export const spanValues = ({ accountId, fromMs, toMs, model, keyId }: UsageSpan, mark: bigint): unknown[] => [
  accountId,
  firstIdSince(fromMs),
  boundOfIds(toMs + ROOM_MS),
  new Date(Math.max(0, fromMs)), // before there were any charges; Prisma's adapter cannot write a year before the first
  new Date(Math.max(0, toMs)),
  mark,
  model ?? null,
  keyId ?? null,
];
