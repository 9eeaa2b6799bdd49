// Receipts: the cost of one request and its reasons, from its charge and the price it was charged at; or its hold while it is under way. A
// failed request has no receipt.

import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import { countsInSlots, type TokenCounts } from "@/lib/base/tokens/token-kinds";
import { prisma } from "@/lib/db/prisma";
import type { Prices } from "@/lib/providers/prices";
import { findPrices } from "./price-versions";
import { type ShownColumns, shownColumns } from "./usage";

/** Costs in nano-USD as the customer paid them. */
export interface ChargeReceipt extends TokenCounts, ShownColumns {
  state: "charged";
  /** When it was charged, at the end of the request. */
  at: Date;
  model: string;
  provider: string;
  keyId: KeyId | null;
  inputCost: NanoUsd;
  outputCost: NanoUsd;
  priceVersion: string;
  prices: Prices;
  estimated: boolean;
  paidBy: string;
  firstTokenMs: number | null;
  providerMs: number;
}

export interface HoldReceipt {
  state: "in_progress";
  /** When the hold was placed. */
  at: Date;
  keyId: KeyId | null;
  ceiling: NanoUsd;
  /** The request has ended by then in any case. */
  deadline: Date;
}

interface RequestOfAccount {
  accountId: AccountId;
  requestId: RequestId;
}

/** The receipt of a request of this account, or null if there is none; `requestId` may be any text. */
export async function findReceipt(accountId: AccountId, requestId: string): Promise<ChargeReceipt | HoldReceipt | null> {
  // The hold first: a request settled between the two reads is then found charged.
  return (await findHold(accountId, requestId)) ?? (await findCharge(accountId, requestId));
}

export interface HeldRequest {
  requestId: RequestId;
  model: string;
  keyId: KeyId | null;
  ceiling: NanoUsd;
}

/** The account's requests under way, the newest first. */
export async function listHeldRequests(accountId: AccountId, limit: number): Promise<HeldRequest[]> {
  const select = { requestId: true, model: true, keyId: true, ceiling: true } as const;
  const holds = await prisma().hold.findMany({ where: { accountId }, select, orderBy: { requestId: "desc" }, take: limit });
  return holds.map(({ requestId, model, keyId, ceiling }) => ({
    requestId: requestId as RequestId,
    model,
    keyId: keyId as KeyId | null,
    ceiling: nanoUsd(ceiling),
  }));
}

/** Requests of this account whose id begins with `beginning`, running or charged; at most `limit` of each. */
export async function findRequestIds(
  accountId: AccountId,
  beginning: string,
  limit: number,
): Promise<{ requestId: string; state: "running" | "charged" }[]> {
  // Ids are compared byte by byte, and `~` is above every character of one.
  const query = { where: { accountId, requestId: { gte: beginning, lt: `${beginning}~` } }, select: { requestId: true }, take: limit };
  const [holds, charges] = await Promise.all([prisma().hold.findMany(query), prisma().charge.findMany(query)]);
  return [
    ...holds.map(({ requestId }) => ({ requestId, state: "running" as const })),
    ...charges.map(({ requestId }) => ({ requestId, state: "charged" as const })),
  ];
}

async function findHold(accountId: AccountId, requestId: string): Promise<HoldReceipt | null> {
  const select = { placedAt: true, keyId: true, ceiling: true, deadline: true } as const;
  const hold = await prisma().hold.findUnique({ where: { requestId, accountId }, select });
  if (!hold) return null;
  const { placedAt, keyId, ceiling, deadline } = hold;
  return { state: "in_progress", at: placedAt, keyId: keyId as KeyId | null, ceiling: nanoUsd(ceiling), deadline };
}

async function findCharge(accountId: AccountId, requestId: string): Promise<ChargeReceipt | null> {
  const row = await prisma().charge.findUnique({ where: { accountId_requestId: { accountId, requestId } }, select: chargeColumns });
  const prices = row && (await findPrices(row.priceVersion));
  if (!row || !prices) return null;
  const { tokens, ...charge } = row;
  return {
    ...charge,
    state: "charged",
    keyId: charge.keyId as KeyId | null,
    ...countsInSlots(tokens),
    inputCost: nanoUsd(charge.inputCost),
    outputCost: nanoUsd(charge.outputCost),
    prices,
  };
}

/** Without the provider's id of its answer, which is between the provider and the operator. */
const chargeColumns = {
  at: true,
  model: true,
  provider: true,
  keyId: true,
  tokens: true,
  inputCost: true,
  outputCost: true,
  priceVersion: true,
  estimated: true,
  paidBy: true,
  firstTokenMs: true,
  providerMs: true,
  ...shownColumns,
} as const;

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
