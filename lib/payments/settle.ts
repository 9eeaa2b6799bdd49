// Settling a claim: its transaction is tried out, stored, sent and followed into a block. Safe to call any number of times at once, in
// any process: one that has no relayer asks one that has.

import type { PaymentClaim, SettleFailure } from "./claim";
import type { SettledAt } from "./settle-way";

export type Settled =
  /** In a block, or found there. Whoever asked has it credited: `payments_credit`. */
  | ({ kind: "paid" } & SettledAt)
  /** The payer's credit paid for it instead: nothing was submitted, and nothing will be. */
  | { kind: "covered" }
  | { kind: "failed"; reason: SettleFailure; message?: string }
  /** Nobody can tell yet: the same payment may be sent again, and goes on. */
  | { kind: "pending" };

/** Resolves after `waitMs` milliseconds at the latest, or soon after. */
export async function settleClaim(_claim: PaymentClaim, _waitMs: number): Promise<Settled> {
  throw new Error("payments are not settled yet");
}
