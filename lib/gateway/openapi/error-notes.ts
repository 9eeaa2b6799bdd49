// What the docs add to the error catalogue: when each error happens, what its details are, and one real case. The error pages and the API
// document both read it.

import { z } from "zod";
import type { ErrorCode } from "@/lib/base/errors";
import { paymentReasonNames } from "../proof/refusal";
import { cost } from "./answers/fields";

/** The placeholder in examples for this service's address. */
export const BASE_URL = "{baseUrl}";

interface ErrorNotes {
  when: string;
  /** Each field of `details` but `docs`, described in a sentence. */
  details: z.ZodObject;
  /** `error` is left out where it is the catalogue's title. */
  example: { error?: string; details: Readonly<Record<string, unknown>> };
}

const usd = (text: string) => z.number().describe(text);

export const errorNotes: Readonly<Record<ErrorCode, ErrorNotes>> = {
  INVALID_REQUEST: {
    when: "The body is not JSON, is larger than 1 MiB, misses a field, has one that is unknown or out of range, or an Idempotency-Key came back with another body.",
    details: z.object({
      issues: z
        .array(z.object({ path: z.string().describe("The field."), message: z.string().describe("What it must be.") }))
        .describe("One entry for each problem: the path of the field, and what it must be."),
      reason: z
        .string()
        .optional()
        .describe(
          "Only where no field is to blame: bad_json, content_type, too_large, not_utf8, cut_off, idempotency_key, idempotency_mismatch, max_cost_exceeded, provider_rejected.",
        ),
    }),
    example: {
      error: "max_tokens: is not a field of this request; did you mean maxTokens?",
      details: { issues: [{ path: "max_tokens", message: "is not a field of this request; did you mean maxTokens?" }] },
    },
  },
  INVALID_MODEL: {
    when: "No model has this name or alias, or the API key may not use it.",
    details: z.object({
      model: z.string().describe("The name that was sent."),
      supportedModels: z.array(z.string()).describe("Every name that works with this key."),
    }),
    example: {
      error: 'There is no model "gpt-5-mega"; the supported ones are in details.supportedModels',
      details: { model: "gpt-5-mega", supportedModels: ["gpt-4-turbo", "claude-sonnet-4-5", "gemini-2.5-flash"] },
    },
  },
  INVALID_API_KEY: {
    when: "The Authorization header is missing, or its key was cut short, does not exist, was revoked, has expired or is paused.",
    details: z.object({
      reason: z
        .enum(["missing", "malformed", "unknown", "revoked", "expired", "disabled"])
        .describe("missing, malformed, unknown, revoked, expired or disabled."),
    }),
    example: { error: "This API key was revoked", details: { reason: "revoked" } },
  },
  INSUFFICIENT_BALANCE: {
    when: "The most that this request can cost is more than what is available. It was refused before the model was called.",
    details: z.object({
      currentBalance: usd("USD available now, without what other running requests hold."),
      requiredBalance: usd("USD that this request can cost at most."),
      deficit: usd("requiredBalance less currentBalance."),
      affordableMaxTokens: z.int().min(0).describe("The largest maxTokens that the balance does cover."),
      depositUrl: z.url().describe("Where to add funds."),
    }),
    example: {
      error: "Insufficient balance: has $0.02, needs $0.0424",
      details: {
        currentBalance: 0.02,
        requiredBalance: 0.0424,
        deficit: 0.0224,
        affordableMaxTokens: 464,
        depositUrl: `${BASE_URL}/deposit`,
      },
    },
  },
  SPEND_CAP_REACHED: {
    when: "The key has a spending cap, and this request could exceed what is left of it. The balance itself may be fine.",
    details: z.object({
      cap: usd("USD that the key may spend in its period."),
      spent: usd("USD spent in this period, with what running requests hold."),
      resetsAt: z.iso.datetime().nullable().describe("When the next period begins; null for a cap without a period."),
    }),
    example: {
      error: "This API key may spend $5.00 in its period; $4.98 is spent or held, and this request could cost more than the rest",
      details: { cap: 5, spent: 4.98, resetsAt: "2026-12-01T00:00:00.000Z" },
    },
  },
  PAYMENT_VERIFICATION_FAILED: {
    when: "The request carried a payment that was not accepted. Unless the message says otherwise, nothing has moved.",
    details: z.object({
      reason: z.enum(paymentReasonNames).describe(`One of ${paymentReasonNames.join(", ")}.`),
      requiredAmount: z.int().min(1).optional().describe("amount_too_low: the least that must be signed, USDC cents."),
      minimumAmount: z.int().min(1).optional().describe("amount_too_low: the least that this service takes at all, USDC cents."),
      ceiling: usd("amount_too_low: the most that the request can cost.").optional(),
      issues: z
        .array(z.object({ path: z.string().describe("The field."), message: z.string().describe("What it must be.") }))
        .optional()
        .describe("malformed: what is wrong, field by field."),
    }),
    example: {
      error: "The payment is 1 cents, and this request can cost 5; sign at least that",
      details: { reason: "amount_too_low", requiredAmount: 5, ceiling: 0.0424, minimumAmount: 1 },
    },
  },
  PAYMENT_REQUIRED: {
    when: "A request to the x402 endpoint came without a payment. The header PAYMENT-REQUIRED says the same in x402’s own form.",
    details: z.object({
      accepts: z
        .array(
          z.looseObject({
            network: z.string().describe("The network, by its CAIP-2 name."),
            amount: z.string().describe("What must be signed at least, base units of USDC."),
          }),
        )
        .describe("What may be signed: x402’s payment requirements."),
    }),
    example: {
      error: "Pay with x402: sign one of accepts, and send the very same request again with it in the header PAYMENT-SIGNATURE",
      details: {
        accepts: [
          {
            scheme: "exact",
            network: "eip155:8453",
            amount: "3584",
            asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
            maxTimeoutSeconds: 300,
            extra: { name: "USD Coin", version: "2", bodyHash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" },
          },
        ],
      },
    },
  },
  NOT_FOUND: {
    when: "The path is not one of the API’s.",
    details: z.object({}),
    example: { error: "There is nothing at /api/v1/promt", details: {} },
  },
  METHOD_NOT_ALLOWED: {
    when: "The path is right and the method is not: a GET where a POST belongs, most often.",
    details: z.object({}),
    example: { error: "/api/v1/prompt takes POST, not GET", details: {} },
  },
  REQUEST_IN_PROGRESS: {
    when: "A request with the same Idempotency-Key has not ended yet.",
    details: z.object({}),
    example: { details: {} },
  },
  RATE_LIMIT_EXCEEDED: {
    when: "More requests in this minute, or more at the same time, than the account may send; or too many failed keys from one address.",
    details: z.object({
      limit: z.enum(["rate", "concurrency"]).describe("rate or concurrency."),
      retryAfterMs: z.int().min(0).describe("Milliseconds until a request may pass. Retry-After says the same in seconds."),
    }),
    example: { error: "Too many requests in this minute; try again in 1 s", details: { limit: "rate", retryAfterMs: 600 } },
  },
  INTERNAL_ERROR: {
    when: "The model’s provider failed or took too long, or something of ours did.",
    details: z.object({
      reason: z
        .enum(["provider_unavailable", "provider_timeout", "internal"])
        .describe("provider_unavailable, provider_timeout or internal."),
      retryable: z.boolean().describe("True when the same request may succeed later."),
      cost: cost.optional().describe("Only in the error event of a stream that broke off: what was delivered, and charged."),
    }),
    example: {
      error: "gpt-4-turbo did not answer in time; nothing was charged",
      details: { reason: "provider_timeout", retryable: true },
    },
  },
  SETTLEMENT_PENDING: {
    when: "A signed payment was sent to its chain and its outcome could not be read in time, or the chain cannot be asked at present.",
    details: z.object({
      reason: z
        .enum(["outcome_unknown", "chain_unavailable"])
        .describe("outcome_unknown: it may be paid by now. chain_unavailable: nothing was moved yet."),
    }),
    example: {
      error: "The payment is on its way and its outcome is not known yet; send the very same request again, which never pays twice",
      details: { reason: "outcome_unknown" },
    },
  },
  SHUTTING_DOWN: {
    when: "The process is being stopped or replaced. It finishes what runs and takes nothing new.",
    details: z.object({}),
    example: { details: {} },
  },
};
