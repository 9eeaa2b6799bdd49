// An account's refused and failed requests, as its owner looks through them.

import { DAY_MS, nowMs } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { deleteInBatches } from "@/lib/db/delete-in-batches";
import { Prisma, prisma } from "@/lib/db/prisma";
import type { FailedRequest } from "./record-failed";

/** Refused: 4xx, the caller can mend it. Failed: 5xx, and streams that broke off. */
export type FailureKind = "refused" | "failed";

export interface FailureFilter {
  accountId: AccountId;
  /** Unix milliseconds; `toMs` is excluded. */
  fromMs: number;
  toMs: number;
  model?: string;
  /** "" for the playground. */
  keyId?: string;
}

export type FailureLine = Omit<FailedRequest, "accountId"> & { at: Date };

export interface FailureCounts {
  refused: number;
  failed: number;
}

/** How long they are kept. */
export const FAILURES_KEPT_DAYS = 30;
const FIRST_SERVER_ERROR = 500;

const statusOf = (kind: FailureKind) => (kind === "refused" ? { lt: FIRST_SERVER_ERROR } : { gte: FIRST_SERVER_ERROR });

const inFilter = ({ accountId, fromMs, toMs, model, keyId }: FailureFilter): Prisma.FailedRequestWhereInput => ({
  accountId,
  at: { gte: new Date(Math.max(0, fromMs)), lt: new Date(Math.max(0, toMs)) },
  model,
  keyId: keyId === "" ? null : keyId,
});

const columns = { requestId: true, keyId: true, endpoint: true, model: true, status: true, code: true, at: true } as const;

/** One page, the newest first, from after the request `before`; one more than `limit` when there is another page. */
export const listFailures = async (
  filter: FailureFilter,
  kind: FailureKind,
  limit: number,
  before: string | null,
): Promise<FailureLine[]> =>
  (await prisma().failedRequest.findMany({
    where: { ...inFilter(filter), status: statusOf(kind), ...(before !== null && { requestId: { lt: before } }) },
    orderBy: { requestId: "desc" },
    take: limit + 1,
    select: columns,
  })) as FailureLine[];

/** How many of each kind there are: `listed` one by one, in the whole filter; `unlisted` in its days, since they have no model and no key. */
export async function countFailures(filter: FailureFilter): Promise<{ listed: FailureCounts; unlisted: FailureCounts }> {
  const { accountId, fromMs, toMs, model = null, keyId = null } = filter;
  const [from, to] = [new Date(Math.max(0, fromMs)), new Date(Math.max(0, toMs))];
  // Two tables in one statement, which Prisma cannot express.
  const rows = await prisma().$queryRaw<{ isFailed: boolean; listed: number; unlisted: number }[]>`
    SELECT status >= ${FIRST_SERVER_ERROR} AS "isFailed", sum(listed)::integer AS listed, sum(unlisted)::integer AS unlisted FROM (
      SELECT status, 1 AS listed, 0 AS unlisted FROM failed_request
      WHERE account_id = ${accountId} AND at >= ${from} AND at < ${to}
        AND (${model}::text IS NULL OR model = ${model}) AND (${keyId}::text IS NULL OR coalesce(key_id, '') = ${keyId})
      UNION ALL
      SELECT status, 0, count FROM failed_request_count WHERE account_id = ${accountId} AND minute >= ${from} AND minute < ${to}
    ) one GROUP BY 1`;
  const sums = (column: "listed" | "unlisted"): FailureCounts => ({
    refused: rows.find(({ isFailed }) => !isFailed)?.[column] ?? 0,
    failed: rows.find(({ isFailed }) => isFailed)?.[column] ?? 0,
  });
  return { listed: sums("listed"), unlisted: sums("unlisted") };
}

/** Refused and failed requests of this account whose id begins with `beginning`. */
export async function findFailedIds(
  accountId: AccountId,
  beginning: string,
  limit: number,
): Promise<{ requestId: string; state: FailureKind }[]> {
  // Ids are compared byte by byte, and `~` is above every character of one.
  const where = { accountId, requestId: { gte: beginning, lt: `${beginning}~` } };
  const found = await prisma().failedRequest.findMany({ where, select: { requestId: true, status: true }, take: limit });
  return found.map(({ requestId, status }) => ({ requestId, state: status < FIRST_SERVER_ERROR ? "refused" : "failed" }));
}

/** The account's failed request of this id; null for an unknown id and for another account's. */
export const findFailure = async (accountId: AccountId, requestId: string): Promise<FailureLine | null> =>
  (await prisma().failedRequest.findFirst({ where: { accountId, requestId }, select: columns })) as FailureLine | null;

/** Deletes failures older than FAILURES_KEPT_DAYS. */
export async function deleteOldFailures(): Promise<void> {
  const before = new Date(nowMs() - FAILURES_KEPT_DAYS * DAY_MS);
  await deleteInBatches(
    (atOnce) => Prisma.sql`
      DELETE FROM failed_request WHERE request_id IN (
        SELECT request_id FROM failed_request WHERE at < ${before} ORDER BY at LIMIT ${atOnce})`,
  );
  await deleteInBatches(
    (atOnce) => Prisma.sql`
      DELETE FROM failed_request_count WHERE (account_id, minute, code) IN (
        SELECT account_id, minute, code FROM failed_request_count WHERE minute < ${before} ORDER BY minute LIMIT ${atOnce})`,
  );
}
