// A settlement strategy: the part of settling that depends on the scheme and its chain. Claims, the relay and credits are common to all.

import type { SettleFailure } from "@/lib/chains/payment-failure";
import type { PaymentClaim } from "../claims/claim";

/** The transaction that moved a payment's money. */
export interface SettledAt {
  transaction: string;
  /** On Solana: the slot. */
  block: number;
}

export type AttemptOutcome =
  /** Its bytes are in the relay, stored by this run or another: the caller sends and follows it. */
  | { kind: "stored" }
  /** The chain already shows it as paid, by any sender. */
  | ({ kind: "found" } & SettledAt)
  /** Nothing moved, and nothing was stored. */
  | ({ kind: "refused" } & Refusal)
  /** No node answers, the relay is stopped, or other transactions of its payer go first. */
  | { kind: "unknown" };

export interface Refusal {
  reason: SettleFailure;
  message?: string;
}

/** Safe to call any number of times at once, by any process with the relayer. */
export interface SettlementStrategy {
  /**
   * Simulates a payment, and stores its transaction under `relayId`: `storeAttempt` (failed-fee-limit.ts) with the relay's `storeCall` or
   * `storeSigned`. It sends nothing.
   */
  attempt(claim: PaymentClaim, relayId: string): Promise<AttemptOutcome>;
  /**
   * Where the chain shows it as paid, by any sender; null when it does not. `final`: in a final block, for good. Called when no transaction
   * of ours in the relay has the answer: only this finds a payment hidden by a race, or by a database restored from a backup.
   * @throws EvmFailure, SolanaUnavailable when no node answers
   */
  find(claim: PaymentClaim, as: "latest" | "final"): Promise<SettledAt | null>;
  /**
   * Whether as many nodes as must agree show that this transaction moved the payment: only then is it credited.
   * @throws as `find`
   */
  isShown(claim: PaymentClaim, at: SettledAt): Promise<boolean>;
  /** Why its transaction, which is in a block without effect, moved nothing; null when unknown. @throws as `find` */
  findReason?(claim: PaymentClaim): Promise<Refusal | null>;
}
