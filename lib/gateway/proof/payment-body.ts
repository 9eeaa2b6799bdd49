// The part of an answer about the payment that came with its request.

import { type NanoUsd, nanoUsd, usdText } from "@/lib/base/money";
import type { Payment } from "../openapi/answers/payment";
import type { PaymentFacts } from "./facts";

/**
 * `amount` is USDC cents, as a proof's own field is; `amountUsd` is the same in USD, the unit of `charged` and `change`. A proof has the requestId
 * that its payer chose.
 */
export function paymentBody(payment: PaymentFacts, charged: NanoUsd): Payment {
  const { scheme, nonce, payer, network, amount, transaction, changeBelongsTo } = payment;
  return {
    requestId: scheme === "proof" ? nonce : undefined,
    from: payer,
    network,
    amount: Number(usdText(amount * 100n)),
    amountUsd: amount,
    transaction,
    charged,
    // Nothing moved when a credit covered the request.
    change: nanoUsd(amount > charged ? amount - charged : 0n),
    changeBelongsTo,
  };
}
