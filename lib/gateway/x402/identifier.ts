// Payment identifiers: a text that a client chose for one payment of one request. With the same payment and the same body it gets the same
// answer and outcome again; with anything else it is refused, before a signature is verified. It is taken in the statement that claims the
// payment, and is free again when that payment moved nothing.

import { z } from "zod";
import { AppError } from "@/lib/base/errors";
import type { Json } from "@/lib/base/json";
import { findIdentified, isTaken, type PaymentClaim } from "@/lib/payments/claims/claim";
import type { PaymentPayload } from "@/lib/payments/x402/wire";
import { invalidRequest } from "../http/request";

export const PAYMENT_IDENTIFIER = "payment-identifier";

const [MIN_CHARACTERS, MAX_CHARACTERS] = [16, 128];
const pattern = /^[a-zA-Z0-9_-]+$/;

const infoForm = z.object({
  id: z.string().min(MIN_CHARACTERS).max(MAX_CHARACTERS).regex(pattern).optional(),
});
const form = z.object({ info: infoForm });

export const identifierExtension: Json = {
  info: { required: false },
  schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      required: { type: "boolean" },
      id: { type: "string", minLength: MIN_CHARACTERS, maxLength: MAX_CHARACTERS, pattern: pattern.source },
    },
    required: ["required"],
  },
};

/** The payment's identifier; null without one. @throws AppError INVALID_REQUEST */
export function readIdentifier({ extensions }: PaymentPayload): string | null {
  const given = extensions?.[PAYMENT_IDENTIFIER];
  if (given === undefined) return null;
  const parsed = form.safeParse(given);
  if (parsed.success) return parsed.data.info.id ?? null;
  const message = `must be ${MIN_CHARACTERS} to ${MAX_CHARACTERS} letters, digits, hyphens and underscores`;
  throw invalidRequest([{ path: `PAYMENT-SIGNATURE.extensions.${PAYMENT_IDENTIFIER}.info.id`, message }]);
}

/**
 * Looks an identifier up. `claim` is that of exactly this payment for exactly this request, if there is one.
 * @throws AppError PAYMENT_CONFLICT when it belongs to another payment, or this payment has another one
 */
export async function checkIdentifier(identifier: string | null, claim: PaymentClaim | null): Promise<void> {
  if (identifier === null) return;
  const bound = await findIdentified(identifier);
  const isOthers = isTaken(bound) && bound.id !== claim?.id;
  if (isOthers || (claim !== null && claim.identifier !== null && claim.identifier !== identifier)) throw new AppError("PAYMENT_CONFLICT");
}
