// Shared by the document's operations: who may call them, and how they answer and refuse.

import type { z } from "zod";
import type { ErrorSource } from "@/lib/base/errors/error-row";
import { errorAnswers } from "./errors";
import { type HeaderName, headersWith } from "./headers";
import type { Answer, Example, MediaType, Operation, Parameter } from "./types";

/** A JSON body of a named schema. */
export const jsonOf = (schema: string, examples: Record<string, Example>): { "application/json": MediaType } => ({
  "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, examples },
});

/** An example of an answer: the fields that the schema has of `given`, and false, 0 or null where it has none. */
export const exampleOf = ({ shape }: z.ZodObject, given: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries<z.ZodType>(shape).map(([name, field]) => [
      name,
      name in given ? given[name] : [false, 0, null].find((value) => field.safeParse(value).success),
    ]),
  );

/** A 200 answer; `more` are its headers besides those of every answer. */
export const success = (description: string, content: Record<string, MediaType>, ...more: readonly HeaderName[]): Answer => ({
  description,
  headers: headersWith(...more),
  content,
});

export const needsKey: Operation["security"] = [{ apiKey: [] }];
export const needsNoKey: Operation["security"] = [];

/** The document's answers of an operation: its 200, and its errors in our own format. */
export const answersOf = (ok: Answer, ...sources: readonly ErrorSource[]): Record<string, Answer> => ({
  "200": ok,
  ...errorAnswers(sources),
});

export const paymentSignature: Parameter = {
  name: "PAYMENT-SIGNATURE",
  in: "header",
  required: false,
  description:
    "The x402 version 2 payment, as base64-encoded JSON. Without it, the response is 402 with the payment requirements. The extension payment-identifier can give the payment an ID: the same ID with the same payment and body returns the same answer, anything else 409.",
  schema: { type: "string" },
};

export const signInWithX: Parameter = {
  name: "SIGN-IN-WITH-X",
  in: "header",
  required: false,
  description:
    "Pays from the wallet's credit without a payment: the sign-in-with-x payload of x402, as base64-encoded JSON, for the message in the 402 response to this request. Valid once, for five minutes.",
  schema: { type: "string" },
};

/** Base64 of the JSON of PromptBody's `payment`. */
export const paymentProof: Parameter = {
  name: "Payment-Proof",
  in: "header",
  required: false,
  description:
    "A wallet's signed payment for this request: the payment object of PromptBody, as base64-encoded JSON. Don't also send payment in the body.",
  schema: { type: "string", pattern: "^[A-Za-z0-9+/_-]+={0,2}$" },
};

export const clipToBalance: Parameter = {
  name: "X-Clip-To-Balance",
  in: "header",
  required: false,
  description:
    "Same as clipToBalance in the body, for clients that can't add a field. The body takes precedence over this header, and the header over the key's setting.",
  schema: { type: "string", enum: ["true", "false"] },
};

export const idempotencyKey: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Use a new one for each new request. For 24 hours, the same Idempotency-Key with the same body and API key returns the first answer, without another charge. A request that was not charged leaves it free to use again.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
  example: "order-1041-summary",
};
