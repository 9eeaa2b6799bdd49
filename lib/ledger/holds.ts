// Holds, as the request path submits them and the ledger decides them. Amounts are nano-USD. Their settlements: commit/codec.ts.

import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";

/** Money to set aside for one request; for a placed hold, the facts about it. */
export interface Hold {
  requestId: RequestId;
  accountId: AccountId;
  /** The key whose cap it counts in; null for a request without a key, or when the money is not the key's account's. */
  keyId: KeyId | null;
  /** Without a key: it counts toward the amount that the account's sessions may spend a day without a fresh signature. */
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
