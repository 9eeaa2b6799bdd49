// What is put into a commit: holds to place and holds to end.

import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";

export interface HoldItem {
  request: RequestId;
  account: AccountId;
  key: KeyId | null;
  ceiling: NanoUsd;
  idempotency: string | null;
  hash: Buffer | null;
}

/** The columns of a charge that are no money, as the ledger's SQL names them. */
export interface ChargeDetails {
  model: string;
  provider: string;
  priceVersion: string;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  reasoningTokens: number;
  outcome: "complete" | "partial" | "cancelled";
  streamed: boolean;
  estimated: boolean;
  paidBy: "balance" | "payment" | "x402";
  firstTokenMs: number | null;
  providerMs: number;
}

export interface SettleItem {
  request: RequestId;
  account: AccountId;
  key: KeyId | null;
  period: string | null;
  periodStart: Date | null;
  /** What the hold set aside. */
  ceiling: NanoUsd;
  /** What the answer cost, nano-USD; the ledger charges at most the hold. */
  inputCost: NanoUsd;
  outputCost: NanoUsd;
  /** Null releases the hold: nothing is charged. */
  charge: ChargeDetails | null;
  /** The answer to keep for this idempotency key; without `body` the claim is given back. */
  idempotency?: string;
  status?: number;
  body?: string;
}

export type CommitItem = { kind: "hold"; hold: HoldItem } | { kind: "settle"; settle: SettleItem };
