// Reads an x402 payment and checks it against the requirements: the accepted amount may be higher, and nothing else that matters may
// differ.

import type { PaymentRefusal, ReadPayment } from "@/lib/payments/x402/network";
import type { PaymentPayload, PaymentRequirements } from "@/lib/payments/x402/wire";
import { type Offer, resource } from "./offers";

/** A billion USDC: the ledger could not hold much more. */
const MAX_BOOKED_UNITS = 10n ** 15n;

/** Makes no calls; the signature is checked elsewhere. */
export function readPayment(payload: PaymentPayload, { network, requirements }: Offer): ReadPayment {
  const refusal = mismatch(payload, requirements);
  if (refusal) return { kind: "refused", refusal };
  return network.read(payload.payload, { ...requirements, amount: payload.accepted.amount });
}

function mismatch({ accepted, resource: paidFor }: PaymentPayload, wanted: PaymentRequirements): PaymentRefusal | null {
  const differs = (["scheme", "asset", "payTo"] as const).find((field) => !isSame(wanted, accepted[field], wanted[field]));
  if (differs) {
    const message = `accepted.${differs} is not ${wanted[differs]}`;
    return { reason: "malformed", errorReason: "invalid_payment_requirements", message };
  }
  if ((paidFor && paidFor.url !== resource().url) || accepted.extra?.bodyHash !== wanted.extra.bodyHash) {
    const message = "This payment was made for another request. Send the request without a payment and sign the new offer";
    return { reason: "replayed", errorReason: "invalid_payment_requirements", message };
  }
  if (BigInt(accepted.amount) > MAX_BOOKED_UNITS) {
    const message = `The payment is over more than ${MAX_BOOKED_UNITS} units of USDC; sign what accepts says`;
    return { reason: "malformed", errorReason: "invalid_payment_requirements", message };
  }
  return null;
}

/** EVM addresses may differ in case. */
const isSame = ({ network }: PaymentRequirements, given: string, wanted: string): boolean =>
  network.startsWith("eip155:") ? given.toLowerCase() === wanted.toLowerCase() : given === wanted;
