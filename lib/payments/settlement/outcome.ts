// The outcome of settling a claim.

import type { SettleFailure } from "@/lib/chains/payment-failure";
import type { PaymentClaim } from "../claims/claim";
import type { SettledAt } from "./settlement-strategy";

export type Settled =
  /** In a block, or found there. The caller credits it with `payments_credit`. */
  | ({ kind: "paid" } & SettledAt)
  /** The payer's credit pays for it now: nothing was submitted. */
  | { kind: "covered" }
  | { kind: "failed"; reason: SettleFailure; message?: string }
  /** The outcome is unknown yet: the same payment may be sent again, and continues. */
  | { kind: "pending" };

/** The outcome recorded in the claim; null while it is under way. */
export function settledAs({ state, transaction, block, failure, failureMessage }: PaymentClaim): Settled | null {
  if (state === "claimed") return null;
  if (state === "covered") return { kind: "covered" };
  if (state === "paid" && transaction !== null && block !== null) return { kind: "paid", transaction, block };
  return { kind: "failed", reason: failure ?? "settlement_failed", ...(failureMessage === null ? {} : { message: failureMessage }) };
}
