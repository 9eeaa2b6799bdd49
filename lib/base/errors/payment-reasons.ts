// The reasons why a signed payment is not accepted.

/** Every reason of PAYMENT_VERIFICATION_FAILED, with its default message. */
export const paymentReasons = {
  malformed: "The payment is malformed. Send exactly: from, amount, signature, timestamp, requestId and network",
  network_unsupported: "This network is not supported. GET /api/v1/payment-terms lists the supported networks",
  amount_too_low: "The payment is too low. Sign at least details.requiredAmount cents, or lower maxTokens",
  amount_mismatch: "The signed amount is not the one in accepted.amount. Sign exactly that amount",
  bad_signature: "The signature does not match these four lines. GET /api/v1/payment-terms shows exactly what to sign",
  expired: "The payment has expired: its timestamp is more than five minutes off. Sign a new one",
  payer_mismatch: "The paying wallet belongs to a different account than the API key. Use a key of the wallet's account",
  replayed: "This payment was already used for another request. Sign a new one with a new requestId",
  allowance_too_low: "The wallet's allowance for the payment contract is too low. Approve more USDC and send the same request again",
  wallet_balance_too_low: "The wallet does not have enough USDC. Add USDC and send the same request again",
  settlement_failed: "The chain rejected this payment. Nothing was paid. Sign a new payment",
} as const;

export type PaymentReason = keyof typeof paymentReasons;
export const paymentReasonNames = Object.keys(paymentReasons) as [PaymentReason, ...PaymentReason[]];
