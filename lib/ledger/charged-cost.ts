// What requests cost, many at once, for lists of something that requests were paid with.

import type { AccountId, RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import { prisma } from "@/lib/db/prisma";

export interface RequestOfAccount {
  accountId: AccountId;
  requestId: RequestId;
}

/**
 * By request id: nano-USD that the account was charged for it, 0 for one that failed; null while it is under way. A request of another
 * account costs this one nothing.
 */
export async function readChargedCosts(requests: readonly RequestOfAccount[]): Promise<ReadonlyMap<RequestId, NanoUsd | null>> {
  const where = { OR: requests.map(({ accountId, requestId }) => ({ accountId, requestId })) };
  // The holds first: a request that is settled between the two reads is found under way or charged, never as one that failed.
  const holds = await prisma().hold.findMany({ where, select: { requestId: true } });
  const charges = await prisma().charge.findMany({ where, select: { requestId: true, inputCost: true, outputCost: true } });
  const underWay = new Set(holds.map(({ requestId }) => requestId));
  const paid = new Map(charges.map(({ requestId, inputCost, outputCost }) => [requestId, nanoUsd(inputCost + outputCost)]));
  return new Map(requests.map(({ requestId }) => [requestId, underWay.has(requestId) ? null : (paid.get(requestId) ?? ZERO_USD)]));
}
