// The errors of this service, its providers and its chains.

import { z } from "zod";
import { cost, retryAfterMs } from "./detail-fields";
import type { ErrorRow } from "./error-row";

export const serviceErrors = {
  INTERNAL_ERROR: {
    status: 500,
    title: "Something went wrong on our side",
    when: "The model's provider or this service failed or timed out.",
    fix: "You were not charged unless the error includes a cost. Retry if details.retryable is true; with the same Idempotency-Key, you are never charged twice. Include requestId when you contact support.",
    retry: "with exponential backoff, if details.retryable is true",
    openai: "server_error",
    anthropic: { type: "api_error", status: null },
    headers: [],
    from: ["any"],
    details: z.object({
      reason: z
        .enum(["provider_unavailable", "provider_timeout", "internal"])
        .describe("provider_unavailable, provider_timeout or internal."),
      retryable: z.boolean().describe("true if the same request may succeed later."),
      cost: cost
        .optional()
        .describe(
          "Only if you were charged nevertheless: for the delivered part of an interrupted stream, or for a compaction without a summary.",
        ),
    }),
    example: {
      error: "gpt-4-turbo timed out. You were not charged",
      details: { reason: "provider_timeout", retryable: true },
    },
  },
  SETTLEMENT_PENDING: {
    status: 503,
    title: "The payment is still being confirmed",
    when: "A payment was submitted and is not confirmed yet, or its chain is unavailable.",
    fix: "Send the same request again after Retry-After: you never pay twice.",
    retry: "the same request, after Retry-After",
    openai: "server_error",
    anthropic: { type: "api_error", status: null },
    headers: ["Retry-After"],
    from: ["prompt", "x402"],
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
    status: 503,
    title: "Too many large requests right now",
    when: "Too many bodies over 1 MiB were arriving at once, and there was no room for this one within a minute. You were not charged.",
    fix: "Send the request again after Retry-After. Bodies of up to 1 MiB are not affected.",
    retry: "after Retry-After",
    openai: "server_error",
    anthropic: { type: "overloaded_error", status: null },
    headers: ["Retry-After"],
    from: ["upload"],
    details: z.object({}),
    example: { error: null, details: {} },
  },
  PROVIDER_BUSY: {
    status: 503,
    title: "The model's provider is busy",
    when: "The model's provider is overloaded or limits our requests, or it failed so often that we have paused requests to it. You were not charged, and you can reuse the Idempotency-Key.",
    fix: "You were not charged. Send the request again after Retry-After, or use another model.",
    retry: "after Retry-After",
    openai: "server_error",
    anthropic: { type: "overloaded_error", status: 529 },
    headers: ["Retry-After"],
    from: ["prompt", "count", "x402"],
    details: z.object({
      reason: z.enum(["provider_busy"]).describe("Always provider_busy."),
      retryable: z.boolean().describe("Always true."),
      retryAfterMs,
    }),
    example: {
      error: "claude-sonnet-4-5's provider is busy. Try again in 12 s. You were not charged",
      details: { reason: "provider_busy", retryable: true, retryAfterMs: 12_000 },
    },
  },
  SHUTTING_DOWN: {
    status: 503,
    title: "The server is restarting",
    when: "The server is restarting. Running requests finish; new ones are rejected and not charged.",
    fix: "Send the request again after Retry-After.",
    retry: "after Retry-After",
    openai: "server_error",
    anthropic: { type: "overloaded_error", status: null },
    headers: ["Retry-After"],
    from: ["any"],
    details: z.object({}),
    example: { error: null, details: {} },
  },
} as const satisfies Record<string, ErrorRow>;
