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
    when: "The body is not JSON, is too large (over 1 MiB, or 32 MiB where images are accepted), or has a missing, unknown or out-of-range field; the Idempotency-Key was used with a different body; the request could cost more than maxCost; the path is not normalized; the prompt is longer than the context window; or the model's provider rejected it.",
    details: z.object({
      issues: z
        .array(z.object({ path: z.string().describe("The field."), message: z.string().describe("What it must be.") }))
        .describe("One entry per problem: the field's path and what it must be."),
      reason: z
        .string()
        .optional()
        .describe(
          "The kind of problem, if it has a name: bad_json, content_type, content_encoding, too_large, too_many_values, too_much_text, not_utf8, cut_off, idempotency_key, idempotency_mismatch, max_cost_exceeded, above_x402_maximum, path, context_length_exceeded, request_too_large, invalid_encrypted_content, provider_rejected.",
        ),
      inputTokens: z
        .int()
        .min(0)
        .optional()
        .describe("context_length_exceeded: the input tokens, as counted by the provider or as our lower bound, if known."),
      outputTokens: z
        .int()
        .min(0)
        .optional()
        .describe("context_length_exceeded: the output limit, if it counts toward the context window."),
      contextWindow: z.int().min(0).optional().describe("context_length_exceeded: the maximum number of tokens, if known."),
      affordableMaxTokens: z
        .int()
        .min(0)
        .optional()
        .describe("above_x402_maximum: the largest maxTokens that an x402 payment of 1 USD covers."),
    }),
    example: {
      error: "max_tokens: is not a field of this request; did you mean maxTokens?",
      details: { issues: [{ path: "max_tokens", message: "is not a field of this request; did you mean maxTokens?" }] },
    },
  },
  INVALID_MODEL: {
    when: "No model has this ID or alias, it has retired, your API key is not allowed to use it, or it can't be used with this endpoint: embedding models don't answer prompts.",
    details: z.object({
      model: z.string().describe("The model you sent, up to 100 characters."),
      supportedModels: z.array(z.string()).describe("The models this key can use."),
      retiredOn: z.iso.date().optional().describe("The day it retired, UTC, if it has."),
      successor: z.string().optional().describe("The model to use instead, if it has retired."),
    }),
    example: {
      error: 'Unknown model "gpt-5-mega". details.supportedModels lists the supported models',
      details: { model: "gpt-5-mega", supportedModels: ["gpt-4-turbo", "claude-sonnet-4-5", "gemini-2.5-flash"] },
    },
  },
  INVALID_API_KEY: {
    when: "The Authorization header is missing, or the key is incomplete, unknown, revoked, expired, replaced or paused, or its account is frozen.",
    details: z.object({
      reason: z
        .enum(["missing", "malformed", "unknown", "revoked", "expired", "rotated", "disabled"])
        .describe(
          "missing, malformed (incomplete), unknown, revoked, expired, rotated (the key has a new secret) or disabled (paused, or the account is frozen).",
        ),
    }),
    example: { error: "This API key was revoked", details: { reason: "revoked" } },
  },
  KEY_NOT_ALLOWED: {
    when: "The key lacks the scope for this endpoint, or the request comes from an IP address that the key does not allow.",
    details: z.object({
      reason: z.enum(["scope", "address"]).describe("scope or address."),
      neededScope: z.enum(["prompt", "read", "account"]).optional().describe("scope: the missing scope."),
      address: z.string().optional().describe("address: the IP address of the request."),
    }),
    example: {
      error: "This API key is not allowed to send prompts. Edit it in the console, under API keys, or use another key",
      details: { reason: "scope", neededScope: "prompt" },
    },
  },
  INSUFFICIENT_BALANCE: {
    when: "The request could cost more than your available balance. The model was not called. If your balance doesn't even cover the cheapest prompt, a body over 1 MiB is refused before it is read.",
    details: z.object({
      currentBalance: usd("Available balance in USD, without the funds reserved for running requests."),
      requiredBalance: usd("Maximum cost of this request, USD; of the cheapest prompt if the body was not read."),
      deficit: usd("requiredBalance minus currentBalance."),
      affordableMaxTokens: z.int().min(0).describe("The largest maxTokens that your balance covers; 0 if none."),
      depositUrl: z.url().describe("Where to deposit."),
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
    when: "The request could exceed the key's remaining spending limit. The account's balance may still be sufficient.",
    details: z.object({
      cap: usd("The key's spending limit per period, USD."),
      spent: usd("Spent with this key in this period, USD, including the funds reserved for its running requests."),
      resetsAt: z.iso.datetime().nullable().describe("When the next period begins, UTC; null for a total limit."),
    }),
    example: {
      error: "This request could exceed the key's spending limit: $4.98 of $5.00 is spent or reserved",
      details: { cap: 5, spent: 4.98, resetsAt: "2026-12-01T00:00:00.000Z" },
    },
  },
  PAYMENT_VERIFICATION_FAILED: {
    when: "The signed payment or x402 payment was not accepted. Unless the message says otherwise, no USDC has moved.",
    details: z.object({
      reason: z.enum(paymentReasonNames).describe(`One of ${paymentReasonNames.join(", ")}.`),
      requiredAmount: z.int().min(1).optional().describe("amount_too_low: the minimum to sign for this request, USDC cents."),
      minimumAmount: z.int().min(1).optional().describe("amount_too_low: the smallest payment this service accepts, USDC cents."),
      ceiling: usd("amount_too_low: the maximum cost of the request.").optional(),
      issues: z
        .array(z.object({ path: z.string().describe("The field."), message: z.string().describe("What it must be.") }))
        .optional()
        .describe("malformed: what is wrong, field by field."),
    }),
    example: {
      error: "The payment is 1 USDC cents, but this request can cost up to 5. Sign at least that",
      details: { reason: "amount_too_low", requiredAmount: 5, ceiling: 0.0424, minimumAmount: 1 },
    },
  },
  PAYMENT_REQUIRED: {
    when: "A request to the x402 endpoint came without a payment, or the wallet's credit doesn't cover it. The PAYMENT-REQUIRED header contains the same requirements in x402's format.",
    details: z.object({
      accepts: z
        .array(
          z.looseObject({
            network: z.string().describe("The network's CAIP-2 ID."),
            amount: z.string().describe("Minimum amount to sign, in base units of USDC."),
          }),
        )
        .describe("x402 payment requirements. Sign one of them."),
    }),
    example: {
      error: "Pay with x402: sign one of accepts and send the same request again with it in the PAYMENT-SIGNATURE header",
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
    when: "The path does not exist in the API, or nothing has the ID in it: an unknown model, or a request that is not yours or was not charged.",
    details: z.object({}),
    example: { error: "Not found: /api/v1/promt", details: {} },
  },
  METHOD_NOT_ALLOWED: {
    when: "The path exists, but not for this method. Often a GET was sent instead of a POST.",
    details: z.object({}),
    example: { error: "/api/v1/prompt accepts POST, not GET", details: {} },
  },
  REQUEST_IN_PROGRESS: {
    when: "A request with the same Idempotency-Key or the same payment is still running.",
    details: z.object({}),
    example: { details: {} },
  },
  PAYMENT_CONFLICT: {
    when: "The payment-identifier of an x402 payment was already used by another payment, or by this payment with another body. Nothing was verified or moved.",
    details: z.object({}),
    example: { details: {} },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: "The header Content-Encoding names an unsupported compression, or more than one.",
    details: z.object({
      accepted: z.array(z.string()).describe("Supported values of Content-Encoding. Also in the header Accept-Encoding."),
    }),
    example: {
      error: "The body's Content-Encoding is compress. Send the body plain, or with one of these: gzip, deflate, br",
      details: { accepted: ["gzip", "deflate", "br"] },
    },
  },
  RATE_LIMIT_EXCEEDED: {
    when: "Too many requests per minute, too many at once, or too many requests with an invalid API key from one network.",
    details: z.object({
      limit: z.enum(["rate", "concurrency"]).describe("rate or concurrency."),
      retryAfterMs: z.int().min(0).describe("Milliseconds to wait. Retry-After says the same in seconds."),
    }),
    example: { error: "Too many requests in the last minute; try again in 1 s", details: { limit: "rate", retryAfterMs: 600 } },
  },
  INTERNAL_ERROR: {
    when: "The model's provider or this service failed or timed out.",
    details: z.object({
      reason: z
        .enum(["provider_unavailable", "provider_timeout", "internal"])
        .describe("provider_unavailable, provider_timeout or internal."),
      retryable: z.boolean().describe("true if the same request may succeed later."),
      cost: cost
        .optional()
        .describe("Only in the error event of an interrupted stream: what you were charged for the part that was delivered."),
    }),
    example: {
      error: "gpt-4-turbo timed out. You were not charged",
      details: { reason: "provider_timeout", retryable: true },
    },
  },
  SETTLEMENT_PENDING: {
    when: "A payment was submitted and is not confirmed yet, or its chain is unavailable.",
    details: z.object({
      reason: z
        .enum(["outcome_unknown", "chain_unavailable"])
        .describe("outcome_unknown: the payment may have been made. chain_unavailable: it could not be checked, and nothing was paid."),
    }),
    example: {
      error: "The payment is still being confirmed. Send the same request again: you never pay twice",
      details: { reason: "outcome_unknown" },
    },
  },
  SERVICE_BUSY: {
    when: "Too many bodies over 1 MiB were arriving at once, and there was no room for this one within a minute. You were not charged.",
    details: z.object({}),
    example: { details: {} },
  },
  PROVIDER_BUSY: {
    when: "The model's provider is overloaded or limits our requests, or it failed so often that we have paused requests to it. You were not charged, and you can reuse the Idempotency-Key.",
    details: z.object({
      reason: z.enum(["provider_busy"]).describe("Always provider_busy."),
      retryable: z.boolean().describe("Always true."),
      retryAfterMs: z.int().min(0).describe("Milliseconds to wait. Retry-After says the same in seconds."),
    }),
    example: {
      error: "claude-sonnet-4-5's provider is busy. Try again in 12 s. You were not charged",
      details: { reason: "provider_busy", retryable: true, retryAfterMs: 12_000 },
    },
  },
  SHUTTING_DOWN: {
    when: "The server is restarting. Running requests finish; new ones are rejected and not charged.",
    details: z.object({}),
    example: { details: {} },
  },
};
