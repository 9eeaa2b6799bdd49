// What is put into a commit: holds to place and holds to end.

import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";

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

/** What was paid, by what it was for: as the ledger does, the input first. */
export const dividePaid = (paid: bigint, inputCost: bigint): Pick<SettleItem, "inputCost" | "outputCost"> =>
  inputCost < paid
    ? { inputCost: nanoUsd(inputCost), outputCost: nanoUsd(paid - inputCost) }
    : { inputCost: nanoUsd(paid), outputCost: nanoUsd(0n) };

export type CommitItem =
  | { kind: "hold"; hold: HoldItem }
  /** `next` is decided in the same commit, after all who wait for theirs. */
  | { kind: "settle"; settle: SettleItem; next: HoldItem | null };
