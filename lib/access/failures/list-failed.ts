// An account's refused and failed requests, as its owner looks through them.

import { nowMs } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { type Prisma, prisma } from "@/lib/db/prisma";
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

/** How many of each kind the filter selects, of those that are kept one by one. */
export async function countFailures(filter: FailureFilter): Promise<FailureCounts> {
  const [refused, failed] = await Promise.all(
    (["refused", "failed"] as const).map((kind) =>
      prisma().failedRequest.count({ where: { ...inFilter(filter), status: statusOf(kind) } }),
    ),
  );
  return { refused: refused ?? 0, failed: failed ?? 0 };
}

/** Those that were only counted, by kind: they have no model and no key. */
export async function sumCounted({ accountId, fromMs, toMs }: FailureFilter): Promise<FailureCounts> {
  const span = { gte: new Date(Math.max(0, fromMs)), lt: new Date(Math.max(0, toMs)) };
  const [refused, failed] = await Promise.all(
    (["refused", "failed"] as const).map((kind) =>
      prisma().failedRequestCount.aggregate({ where: { accountId, minute: span, status: statusOf(kind) }, _sum: { count: true } }),
    ),
  );
  return { refused: refused?._sum.count ?? 0, failed: failed?._sum.count ?? 0 };
}

/** The account's failed request of this id; null for an unknown id and for another account's. */
export const findFailure = async (accountId: AccountId, requestId: string): Promise<FailureLine | null> =>
  (await prisma().failedRequest.findFirst({ where: { accountId, requestId }, select: columns })) as FailureLine | null;

/** Deletes what is older than it is kept. */
export async function deleteOldFailures(): Promise<void> {
  const before = new Date(nowMs() - FAILURES_KEPT_DAYS * 86_400_000);
  await prisma().failedRequest.deleteMany({ where: { at: { lt: before } } });
  await prisma().failedRequestCount.deleteMany({ where: { minute: { lt: before } } });
}
