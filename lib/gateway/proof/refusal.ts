// Payment refusals: a reason for programs, and a sentence with the fix for people. Nothing has moved when one is thrown, unless its
// sentence says so.

import { AppError } from "@/lib/base/errors";
import type { Json } from "@/lib/base/json";

/** Every reason of PAYMENT_VERIFICATION_FAILED, with its default message. */
export const paymentReasons = {
  malformed: "The payment cannot be read; send from, amount, signature, timestamp, requestId and network, and nothing else",
  network_unsupported: "Payments are not settled on this network; GET /api/v1/payment-terms lists those that are",
  amount_too_low: "The payment is less than this request can cost; sign at least details.requiredAmount cents, or lower maxTokens",
  bad_signature: "The signature is not the payer's for these four lines; GET /api/v1/payment-terms shows them as they must be signed",
  expired: "The payment was signed more than five minutes from now; sign a new one with the present time",
  payer_mismatch: "The paying wallet belongs to another account than the API key; use a key of its own account",
  replayed: "This payment was made for another request; sign a new one under another requestId",
  allowance_too_low:
    "The paying wallet lets the settlement contract move less USDC than this; approve more, and send the same request again",
  wallet_balance_too_low: "The paying wallet has less USDC than this; add some, and send the same request again",
  settlement_failed: "The chain refused to settle this payment; nothing was paid, and a new payment may be signed",
} as const;

export type PaymentReason = keyof typeof paymentReasons;
export const paymentReasonNames = Object.keys(paymentReasons) as [PaymentReason, ...PaymentReason[]];

/** The error for a payment that is not accepted. */
export const paymentRefused = (reason: PaymentReason, message?: string, details: { readonly [key: string]: Json } = {}): AppError =>
  new AppError("PAYMENT_VERIFICATION_FAILED", { message: message ?? paymentReasons[reason], details: { reason, ...details } });

/** The error while a payment is under way and its outcome is unknown. */
export const settlementPending = (): AppError =>
  new AppError("SETTLEMENT_PENDING", {
    message: "The payment is on its way and its outcome is not known yet; send the very same request again, which never pays twice",
    details: { reason: "outcome_unknown" },
    headers: { "retry-after": "2" },
  });

/** The error while the chain cannot be reached: whether the payment is good is unknown. */
export const chainUnavailable = (): AppError =>
  new AppError("SETTLEMENT_PENDING", {
    message: "The payment's chain cannot be asked at present, so nothing was moved; send the very same request again",
    details: { reason: "chain_unavailable" },
    headers: { "retry-after": "5" },
  });
