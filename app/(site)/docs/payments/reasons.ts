// Every reason for refusing a signed payment, with its fix, in the order of the checks.

import type { PaymentReason } from "@/lib/gateway/proof/refusal";

export const paymentCures: Readonly<Record<PaymentReason, string>> = {
  malformed:
    "A field is missing, unknown, or of another form; details.issues names it. Correct it, and sign again if it stands in the text.",
  network_unsupported: "`network` is neither `base` nor `ethereum`. On Solana a wallet pays by x402.",
  amount_too_low: "The request can cost more than was signed. Sign at least details.requiredAmount cents, or lower maxTokens.",
  bad_signature:
    "It is not `from`'s signature of these four lines: compare them to the letter. A contract wallet must be deployed on Base.",
  expired: "`timestamp` is more than five minutes from now, either way. Set the clock, and sign anew.",
  payer_mismatch: "`from` is linked to another account than the API key's. Use a key of its own account.",
  replayed: "This `from` and requestId have paid for another request. Sign a new payment, with another number.",
  allowance_too_low: "The wallet lets the contract take less than this. Approve more USDC, and send the same request again.",
  wallet_balance_too_low: "The wallet has less USDC on Base than this. Put some in, and send the same request again.",
  settlement_failed:
    "The chain refused the settlement, for instance because USDC has blocked the wallet. Sign a new payment once it is mended.",
};
