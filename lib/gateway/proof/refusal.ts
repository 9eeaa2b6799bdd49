// Payment refusals: a reason for programs, and a sentence with the fix for people. Nothing has moved when one is thrown, unless its
// sentence says so.

import { AppError } from "@/lib/base/errors";
import { type PaymentReason, paymentReasons } from "@/lib/base/errors/payment-reasons";
import type { Json } from "@/lib/base/json";

/** The error for a payment that is not accepted. */
export const paymentRefused = (reason: PaymentReason, message?: string, details: { readonly [key: string]: Json } = {}): AppError =>
  new AppError("PAYMENT_VERIFICATION_FAILED", { message: message ?? paymentReasons[reason], details: { reason, ...details } });

/** The error while a payment is under way and its outcome is unknown. */
export const settlementPending = (): AppError =>
  new AppError("SETTLEMENT_PENDING", {
    message: "The payment is still being confirmed. Send the same request again: you never pay twice",
    details: { reason: "outcome_unknown" },
    headers: { "retry-after": "2" },
  });

/** The error while the chain cannot be reached: whether the payment is good is unknown. */
export const chainUnavailable = (): AppError =>
  new AppError("SETTLEMENT_PENDING", {
    message: "The payment's chain is unavailable. Nothing was paid; send the same request again",
    details: { reason: "chain_unavailable" },
    headers: { "retry-after": "5" },
  });
