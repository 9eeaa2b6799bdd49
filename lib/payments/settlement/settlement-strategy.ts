// A settlement strategy: what a scheme knows of its chain. Everything around it is the same for all: claims, the relay, credits.

import type { PaymentClaim, SettleFailure } from "../claims/claim";

/** Where a payment's money moved. */
export interface SettledAt {
  transaction: string;
  /** On Solana: the slot. */
  block: number;
}

export type Attempt =
  /** Its bytes are in the relay, or another run has stored them: the caller sends and follows it. */
  | { kind: "stored" }
  /** The chain shows it as paid already, by any sender. */
  | ({ kind: "found" } & SettledAt)
  /** Nothing moved, and nothing was stored. */
  | ({ kind: "refused" } & Refusal)
  /** No node tells, the relay stands still, or others of its payer go first. */
  | { kind: "unknown" };

export interface Refusal {
  reason: SettleFailure;
  message?: string;
}

/** May be called any number of times, by any process with the relayer, at once. */
export interface SettlementStrategy {
  /**
   * Tries a payment out, and stores its transaction under `relayId`: `storeAttempt` (failed-fee-limit.ts) with the relay's `storeCall` or
   * `storeSigned`. It sends nothing.
   */
  attempt(claim: PaymentClaim, relayId: string): Promise<Attempt>;
  /**
   * Where the chain shows it as paid, by any sender; null when it does not. `final`: in a final block, for good. Asked when no
   * transaction of ours in the relay tells: then only this finds what a race, or a database that was set back, hides.
   * @throws EvmFailure, SolanaUnavailable when no node tells
   */
  find(claim: PaymentClaim, as: "latest" | "final"): Promise<SettledAt | null>;
  /** Why its transaction, which is in a block without effect, moved nothing; null when that is not known. @throws as `find` */
  findReason?(claim: PaymentClaim): Promise<Refusal | null>;
}
