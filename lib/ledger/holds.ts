// Holds and their settlements, as the request path submits them and the ledger decides them. Amounts are nano-USD.

import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import type { TokenCounts } from "@/lib/base/tokens/token-kinds";

/** Money to set aside for one request; for a placed hold, what is known of it. */
export interface Hold {
  requestId: RequestId;
  accountId: AccountId;
  /** The key whose cap it counts in; null for a request without a key, or when the money is not the key's account's. */
  keyId: KeyId | null;
  /** Without a key: it counts in what the account's sessions may spend a day without a fresh signature. */
  isUnconfirmed?: boolean | undefined;
  model: string;
  /** The most that the request can cost. */
  ceiling: NanoUsd;
  /** The idempotency key that it claims in the same commit. */
  claim: Claim | null;
  paidBy: "balance" | "payment" | "x402";
}

/** An idempotency key, with the SHA-256 of its request. */
export interface Claim {
  key: string;
  bodyHash: Buffer;
}

/** Why a hold was not placed; `replay`: its idempotency key already has an answer; `isTold`: the owner has heard of it before. */
export type HoldRefusal =
  | { outcome: "insufficient"; available: NanoUsd; isTold: boolean }
  | { outcome: "cap_reached"; cap: NanoUsd; spent: NanoUsd; resetsAt: Date | null; isTold: boolean }
  | { outcome: "key_unusable"; keyState: string }
  | { outcome: "account_frozen" | "in_progress" | "mismatch" | "replay" | "payer_mismatch" | "served" };

export type HoldDecision = { outcome: "held" } | HoldRefusal;

/** A charge's details other than money, as the SQL type ledger_settlement has them. */
export interface ChargeDetails {
  model: string;
  provider: string;
  /** The provider's own id of the answer. */
  providerRequestId: string | null;
  priceVersion: string;
  usage: TokenCounts;
  /** lost: it could not be booked in time and was never delivered; the operator bears its whole cost. */
  outcome: "complete" | "partial" | "cancelled" | "lost";
  streamed: boolean;
  /** True when the provider reported no token count and our own was used. */
  estimated: boolean;
  paidBy: Hold["paidBy"];
  firstTokenMs: number | null;
  providerMs: number;
  /** What the provider probably bills beyond an estimated charge, at our prices: nobody pays it. */
  unbilled: NanoUsd;
  /** The caller's own names, of at most 64 characters: of what asks, and for whom. */
  tag: string | null;
  endUser: string | null;
}

/** The end of a hold. */
export interface Settlement {
  hold: Hold;
  /** The cost of the answer; the customer pays at most the hold. */
  inputCost: NanoUsd;
  outputCost: NanoUsd;
  /** Null releases the hold: nothing is charged, and its claim is given back. */
  charge: ChargeDetails | null;
  /** The answer that the claim keeps. */
  reply: { status: number; body: string } | null;
}

export interface Settled {
  /** late: the hold was gone, and what could still be taken was charged; already: it was settled before. */
  outcome: "settled" | "released" | "late" | "already";
  /** What the customer paid. */
  inputCost: NanoUsd;
  outputCost: NanoUsd;
}
