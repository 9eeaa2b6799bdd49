// A payment that was sent before, for the same request: it continues from its state, whether or not anybody could pay this way now.

import { isDeepStrictEqual } from "node:util";
import { findClaim, isTaken, type PaymentClaim } from "@/lib/payments/claims/claim";
import type { Price, SignedPayment, X402Network } from "@/lib/payments/x402/network";
import type { PaymentPayload } from "@/lib/payments/x402/wire";
import { findFormerOffer } from "./offers";
import { readPayment } from "./read-payment";

interface Resumed {
  payment: SignedPayment;
  claim: PaymentClaim;
  network: X402Network;
}

/** Null unless exactly this payment was verified and claimed. */
export async function findResumed(payload: PaymentPayload, price: Price): Promise<Resumed | null> {
  const offer = await findFormerOffer(payload.accepted, price);
  if (offer === null) return null;
  const { network } = offer;
  const read = readPayment(payload, offer);
  if (read.kind === "refused") return null;
  const { payment } = read;
  const claim = await findClaim(network.network, payment.payer, payment.nonce);
  const isSame = isTaken(claim) && isDeepStrictEqual(claim.settlement, payment.settlement);
  return isSame ? { payment, claim, network } : null;
}

/** It moved, or may have: it is accepted for its amount, even if its request would cost more now. */
export const isOnItsWay = ({ state, isRelayed, transaction }: PaymentClaim): boolean =>
  state === "paid" || state === "covered" || isRelayed || transaction !== null;
