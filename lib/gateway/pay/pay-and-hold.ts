// A payment's way to a hold: claimed, settled on its chain, then credited and held in one commit. Every step may be run any number
// of times: one payload pays once and is answered once, however often it comes.

import type { PaymentTerms } from "@/lib/payments/claim";
import type { Caller } from "../caller";
import type { PlacedHold } from "../hold";
import type { Quote } from "../quote";
import type { GatewayRequest } from "../request";

/**
 * Takes a payment whose signature is good and whose amount is enough, and sets the quote's ceiling aside from it. `caller` is null where
 * nobody needs a key.
 * @throws AppError PAYMENT_VERIFICATION_FAILED, SETTLEMENT_PENDING, and what a hold may be refused with
 */
export async function payAndHold(
  _request: GatewayRequest,
  _caller: Caller | null,
  _quote: Quote,
  _terms: PaymentTerms,
): Promise<PlacedHold> {
  throw new Error("payments are not settled here");
}
