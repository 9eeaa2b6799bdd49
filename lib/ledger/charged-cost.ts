// The cost of many requests at once, for lists of payments and credits that paid for them.

import type { AccountId, RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import { prisma } from "@/lib/db/prisma";

export interface RequestOfAccount {
  accountId: AccountId;
  requestId: RequestId;
}

/**
 * By request id: the nano-USD that the account was charged; 0 for a failed request, null for one under way. A request of another account
 * costs this account nothing.
 */
export async function readChargedCosts(requests: readonly RequestOfAccount[]): Promise<ReadonlyMap<RequestId, NanoUsd | null>> {
  const where = { OR: requests.map(({ accountId, requestId }) => ({ accountId, requestId })) };
  // Holds first: a request settled between the two reads is then found under way or charged, never as failed.
  const holds = await prisma().hold.findMany({ where, select: { requestId: true } });
  const charges = await prisma().charge.findMany({ where, select: { requestId: true, inputCost: true, outputCost: true } });
  const underWay = new Set(holds.map(({ requestId }) => requestId));
  const paid = new Map(charges.map(({ requestId, inputCost, outputCost }) => [requestId, nanoUsd(inputCost + outputCost)]));
  return new Map(requests.map(({ requestId }) => [requestId, underWay.has(requestId) ? null : (paid.get(requestId) ?? ZERO_USD)]));
}
