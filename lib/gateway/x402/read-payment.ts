// A payment of x402 as it came, held against what is asked for: what was accepted may be more money, and differ in nothing else that matters.

import type { PaymentRefusal, ReadPayment } from "@/lib/payments/x402/network";
import type { PaymentPayload, PaymentRequirements } from "@/lib/payments/x402/wire";
import { type Offer, resource } from "./offers";

/** A billion USDC: much more could not be booked. */
const MAX_BOOKED_UNITS = 10n ** 15n;

/** Asks nobody; who signed it is another question. */
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
    const message = "This payment was made for another request; ask again without one, and sign what is asked for then";
    return { reason: "replayed", errorReason: "invalid_payment_requirements", message };
  }
  if (BigInt(accepted.amount) > MAX_BOOKED_UNITS) {
    const message = `The payment is over more than ${MAX_BOOKED_UNITS} units of USDC; sign what accepts says`;
    return { reason: "malformed", errorReason: "invalid_payment_requirements", message };
  }
  return null;
}

/** Addresses of EVM chains may be written in capitals or not. */
const isSame = ({ network }: PaymentRequirements, given: string, wanted: string): boolean =>
  network.startsWith("eip155:") ? given.toLowerCase() === wanted.toLowerCase() : given === wanted;
