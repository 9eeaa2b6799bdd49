// The outcome of settling a claim.

import type { PaymentClaim, SettleFailure } from "../claims/claim";
import type { SettledAt } from "./settlement-strategy";

export type Settled =
  /** In a block, or found there. The caller has it credited: `payments_credit`. */
  | ({ kind: "paid" } & SettledAt)
  /** The payer's credit pays for it by now: nothing was submitted. */
  | { kind: "covered" }
  | { kind: "failed"; reason: SettleFailure; message?: string }
  /** Nobody can tell yet: the same payment may be sent again, and goes on. */
  | { kind: "pending" };

/** The outcome as the claim's own row has it; null while it is under way. */
export function settledAs({ state, transaction, block, failure, failureMessage }: PaymentClaim): Settled | null {
  if (state === "claimed") return null;
  if (state === "covered") return { kind: "covered" };
  if (state === "paid" && transaction !== null && block !== null) return { kind: "paid", transaction, block };
  return { kind: "failed", reason: failure ?? "settlement_failed", ...(failureMessage === null ? {} : { message: failureMessage }) };
}
