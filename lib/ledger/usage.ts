// Usage: what an account was charged, request by request or summed in groups. A page and its totals are one snapshot of the ledger, and all
// pages of a listing see the same charges: those booked meanwhile are left to the next listing.

import { DAY_MS, HOUR_MS } from "@/lib/base/clock";
import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { requestIdAt } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { countsInSlots, kinds, type TokenCounts, tokenKinds } from "@/lib/base/tokens/token-kinds";
import { type Database, inTransaction, Prisma, prisma, type Transaction } from "@/lib/db/prisma";

/** What charges can be grouped by; days are UTC. */
export const groupings = ["day", "model", "key"] as const;
export type Grouping = (typeof groupings)[number];

/** Charges of one account, by when they were charged; of one model or one key if given. */
export interface UsageSpan {
  accountId: AccountId;
  /** Unix milliseconds; a charge at exactly `toMs` is excluded. */
  fromMs: number;
  toMs: number;
  model?: string;
  /** "" for the charges without a key. */
  keyId?: string;
  /** The `mark` of the listing's first page, so that its other pages see no newer charges; null for the first page. */
  mark: bigint | null;
}

/** Sums of charges; costs in nano-USD, as the customer paid them. */
export interface UsageSums extends TokenCounts {
  requests: number;
  inputCost: NanoUsd;
  outputCost: NanoUsd;
}

/** Sums of the charges in one group; a field that is not grouped by is "", and so is the key of charges without one. */
export interface UsageGroup extends UsageSums {
  /** `2026-01-31` */
  day: string;
  model: string;
  keyId: string;
}

export type GroupPosition = Pick<UsageGroup, "day" | "model" | "keyId">;

export interface ChargedRequest extends TokenCounts, ShownColumns {
  requestId: RequestId;
  /** When it was charged, at the end of the request. */
  at: Date;
  model: string;
  keyId: KeyId | null;
  inputCost: NanoUsd;
  outputCost: NanoUsd;
}

export interface UsagePage<Row> {
  rows: Row[];
  /** True when more rows follow the last one. */
  more: boolean;
  /** Of the whole span, on every page. */
  totals: UsageSums;
  mark: bigint;
}

/** One page of the span's requests, the last ones first; `before` is the last request of the previous page. */
export function listChargedRequests(span: UsageSpan, limit: number, before: string | null): Promise<UsagePage<ChargedRequest>> {
  return readPage(span, limit, (snapshot, mark) => findOlder(snapshot, { ...span, mark }, limit + 1, before));
}

type RowsPage = Pick<UsagePage<ChargedRequest>, "rows" | "more">;
type MarkedSpan = UsageSpan & { mark: bigint };

/** The same page without its totals, which the reader already has. */
export async function listOlderRequests(span: MarkedSpan, limit: number, before: string | null): Promise<RowsPage> {
  const rows = await inSnapshot((snapshot) => findOlder(snapshot, span, limit + 1, before));
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

/** The page of requests that came right after `after`, in the same order; `more` when newer ones follow. */
export async function listNewerRequests(span: MarkedSpan, limit: number, after: string): Promise<RowsPage> {
  const where = { AND: [inSpan(span, span.mark), { requestId: { gt: after } }] };
  const query = { where, select: chargeColumns, orderBy: { requestId: "asc" }, take: limit + 1 } as const;
  const rows = await inSnapshot((snapshot) => snapshot.charge.findMany(query));
  return { rows: rows.slice(0, limit).reverse().map(chargedRequest), more: rows.length > limit };
}

async function findOlder(snapshot: Transaction, span: MarkedSpan, max: number, before: string | null): Promise<ChargedRequest[]> {
  const where = inSpanBefore(span, before);
  const rows = await snapshot.charge.findMany({ where, select: chargeColumns, orderBy: { requestId: "desc" }, take: max });
  return rows.map(chargedRequest);
}

/** The sums of the span's charges, and the mark up to which they are summed. */
export async function readTotals(span: UsageSpan): Promise<{ totals: UsageSums; mark: bigint }> {
  const { totals, mark } = await readPage(span, 0, async () => []);
  return { totals, mark };
}

/** The account's last requests, the newest first, at any time. */
export async function listLatestRequests(accountId: AccountId, limit: number): Promise<ChargedRequest[]> {
  const query = { where: { accountId }, select: chargeColumns, orderBy: { requestId: "desc" }, take: limit } as const;
  return (await prisma().charge.findMany(query)).map(chargedRequest);
}

/** One page of the span's charges in groups: the newest day first, then by model and key; `after` is the previous page's last group. */
export function listUsageGroups(
  span: UsageSpan,
  groupBy: readonly Grouping[],
  limit: number,
  after: GroupPosition | null,
): Promise<UsagePage<UsageGroup>> {
  const [byDay, byModel, byKey] = groupings.map((grouping) => groupBy.includes(grouping));
  const follows = after
    ? Prisma.sql`g.day < ${after.day} OR (g.day = ${after.day} AND (g.model, g."keyId") > (${after.model}, ${after.keyId}))`
    : Prisma.sql`true`;
  // Raw: Prisma groups by columns, and a day is not a column.
  return readPage(
    span,
    limit,
    (snapshot, mark) => snapshot.$queryRaw<UsageGroup[]>`
      SELECT * FROM (
        SELECT CASE WHEN ${byDay} THEN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') ELSE '' END COLLATE "C" AS day,
          CASE WHEN ${byModel} THEN model ELSE '' END COLLATE "C" AS model,
          CASE WHEN ${byKey} THEN coalesce(key_id, '') ELSE '' END COLLATE "C" AS "keyId",
          ${sumsSql}
        FROM charge WHERE ${inSpanSql(span, mark)} GROUP BY 1, 2, 3
      ) g WHERE ${follows} ORDER BY g.day DESC, g.model, g."keyId" LIMIT ${limit + 1}`,
  );
}

/** `readRows` returns one row more than the page has when there are more. */
async function readPage<Row>(
  span: UsageSpan,
  limit: number,
  readRows: (snapshot: Transaction, mark: bigint) => Promise<Row[]>,
): Promise<UsagePage<Row>> {
  return inSnapshot(async (snapshot) => {
    const { newest, ...totals } = await sumSpan(snapshot, span);
    const mark = span.mark ?? newest;
    const rows = await readRows(snapshot, mark);
    return { rows: rows.slice(0, limit), more: rows.length > limit, totals, mark };
  });
}

/** The sums of charges, as the columns of a query. */
const sumsSql = Prisma.sql`count(*)::float8 AS requests, ${eachKind((slot, count) => `coalesce(sum(tokens[${slot}]), 0)::float8 AS "${count}"`)},
  coalesce(sum(input_cost), 0)::bigint AS "inputCost", coalesce(sum(output_cost), 0)::bigint AS "outputCost"`;

/** A list with an expression for each kind of token. */
export function eachKind(write: (slot: number, count: string) => string): Prisma.Sql {
  return Prisma.raw(kinds.map((kind) => write(tokenKinds[kind].slot, tokenKinds[kind].count)).join(", "));
}

// Raw: Prisma does not sum the elements of an array.
async function sumSpan(snapshot: Database, span: UsageSpan): Promise<UsageSums & { newest: bigint }> {
  const [sums] = await snapshot.$queryRaw<(UsageSums & { newest: bigint })[]>`
    SELECT ${sumsSql}, coalesce(max(seq), 0)::bigint AS newest FROM charge WHERE ${inSpanSql(span, span.mark ?? LAST_SEQUENCE)}`;
  if (!sums) throw new Error("assertion failed: sums without groups are one row");
  return sums;
}

/**
 * Reads everything in one snapshot, each query in a single server process: a million charges take a second or two, and requests need
 * the other processors.
 */
export const inSnapshot = <T>(read: (snapshot: Transaction) => Promise<T>): Promise<T> =>
  inTransaction(
    async (snapshot) => {
      await snapshot.$executeRaw`SELECT set_config('transaction_read_only', 'on', true), set_config('max_parallel_workers_per_gather', '0', true)`;
      return read(snapshot);
    },
    { isolationLevel: "RepeatableRead" },
  );

/** What a usage row, a receipt and an export show of a charge as it is stored. */
export const shownColumns = { outcome: true, streamed: true } as const satisfies Prisma.ChargeSelect;
export type ShownColumns = Prisma.ChargeGetPayload<{ select: typeof shownColumns }>;

/** The columns of a `ChargedRequest`. */
export const chargeColumns = {
  requestId: true,
  at: true,
  model: true,
  keyId: true,
  tokens: true,
  inputCost: true,
  outputCost: true,
  ...shownColumns,
} as const satisfies Prisma.ChargeSelect;

/** A charge with our own types: an id, a count and an amount of money. */
export const chargedRequest = <Row extends Prisma.ChargeGetPayload<{ select: typeof chargeColumns }>>({ tokens, ...row }: Row) => ({
  ...row,
  requestId: row.requestId as RequestId,
  keyId: row.keyId as KeyId | null,
  ...countsInSlots(tokens),
  inputCost: nanoUsd(row.inputCost),
  outputCost: nanoUsd(row.outputCost),
});

/** Charges of the span, up to a charge. The bounds on the id only make it a range of the primary key; `at` decides. */
const inSpan = (span: UsageSpan, mark: bigint): Prisma.ChargeWhereInput => {
  const { firstId, lastId, from, to } = boundsOf(span);
  return {
    accountId: span.accountId,
    requestId: { gte: firstId, lt: lastId },
    at: { gte: from, lt: to },
    seq: { lte: mark },
    model: span.model,
    keyId: span.keyId === "" ? null : span.keyId,
  };
};

/** Those of them before a request, if one is given. */
export const inSpanBefore = (span: MarkedSpan, before: string | null): Prisma.ChargeWhereInput =>
  before === null ? inSpan(span, span.mark) : { AND: [inSpan(span, span.mark), { requestId: { lt: before } }] };

/** `inSpan` as an SQL condition. */
export function inSpanSql(span: UsageSpan, mark: bigint): Prisma.Sql {
  const { firstId, lastId, from, to } = boundsOf(span);
  const ofModel = span.model === undefined ? Prisma.empty : Prisma.sql`AND model = ${span.model}`;
  const ofKey = span.keyId === undefined ? Prisma.empty : Prisma.sql`AND coalesce(key_id, '') = ${span.keyId}`;
  return Prisma.sql`account_id = ${span.accountId} AND request_id >= ${firstId} AND request_id < ${lastId}
    AND at >= ${from}::timestamptz AND at < ${to}::timestamptz AND seq <= ${mark}::bigint ${ofModel} ${ofKey}`;
}

/** How far a clock may have been set between a request and its charge. */
const CLOCK_ROOM_MS = HOUR_MS;
/** An id has the time of its request's start. The charge follows within minutes, or after an outage of the database of up to two days. */
const LONGEST_WAIT_MS = 2 * DAY_MS;
const LAST_ID_MS = 62 ** 8 - 1;
export const LAST_SEQUENCE = 9_223_372_036_854_775_807n;

const boundOfIds = (ms: number): string => requestIdAt(Math.min(Math.max(0, ms), LAST_ID_MS));

/** No request charged at `ms` or later has a smaller id. */
export const firstIdSince = (ms: number): string => boundOfIds(ms - LONGEST_WAIT_MS - CLOCK_ROOM_MS);

const boundsOf = ({ fromMs, toMs }: UsageSpan) => ({
  firstId: firstIdSince(fromMs),
  lastId: boundOfIds(toMs + CLOCK_ROOM_MS),
  from: new Date(Math.max(0, fromMs)), // 1970 is before any charge; Prisma's adapter cannot write a year before 1
  to: new Date(Math.max(0, toMs)),
});
