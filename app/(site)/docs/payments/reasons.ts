// Every reason for refusing a signed payment, with its fix, in the order of the checks.

import type { PaymentReason } from "@/lib/base/errors/payment-reasons";

export const paymentCures: Readonly<Record<PaymentReason, string>> = {
  malformed:
    "A field is missing, unknown or malformed; see the message and details.issues. Fix it, and sign again if it is part of the message.",
  network_unsupported: "`network` is neither `base` nor `ethereum`. To pay on Solana, use x402.",
  amount_too_low: "The request can cost more than the signed amount. Sign at least details.requiredAmount cents, or lower maxTokens.",
  amount_mismatch: "x402 only: the signed amount differs from `accepted.amount`. Sign exactly that amount.",
  bad_signature:
    "The signature does not match `from` and these four lines. Compare them character by character. A contract wallet must be deployed on Base.",
  expired: "The payment is too old, or its `timestamp` is more than five minutes in the past or future. Check your clock, and sign again.",
  payer_mismatch: "`from` is linked to a different account than the API key. Use a key of its account.",
  replayed:
    "This payment was made for another request, was answered more than 24 hours ago, or its change has been spent. Sign a new payment with a new requestId.",
  allowance_too_low: "The allowance is too low. Approve more USDC, and send the same request again.",
  wallet_balance_too_low: "The wallet has too little USDC on the chain. Add some, and send the same request again.",
  settlement_failed:
    "The chain rejected the payment, for example because Circle has blocked the wallet. Once that is resolved, sign a new payment.",
};
