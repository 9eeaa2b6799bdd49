// The errors of a request that cannot be served as it is: its body, its model, its key.

import { z } from "zod";
import { amount, issues } from "./detail-fields";
import type { ErrorRow } from "./error-row";

export const requestErrors = {
  INVALID_REQUEST: {
    status: 400,
    title: "The request is invalid",
    when: "The body is not JSON, is too large (over 1 MiB, or 32 MiB where images are accepted), or has a missing, unknown or out-of-range field; the Idempotency-Key was used with a different body; the request could cost more than maxCost; the path is not normalized; the prompt is longer than the context window; or the model's provider rejected it.",
    fix: "Correct the fields listed in details.issues.",
    retry: "after it is corrected",
    openai: "invalid_request_error",
    anthropic: { type: "invalid_request_error", status: null },
    headers: [],
    from: ["path", "key", "x402"],
    details: z.object({
      issues: issues.describe("One entry per problem: the field's path and what it must be."),
      reason: z
        .string()
        .optional()
        .describe(
          "The kind of problem, if it has a name: bad_json, content_type, content_encoding, too_large, too_many_values, too_much_text, not_utf8, cut_off, idempotency_key, idempotency_mismatch, max_cost_exceeded, above_x402_maximum, path, context_length_exceeded, request_too_large, invalid_encrypted_content, provider_rejected; for what never became a request: bad_http, headers_too_large (431), too_slow (408).",
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
      ceiling: amount("above_x402_maximum: the maximum cost of the request.").optional(),
      maximum: amount("above_x402_maximum: the most that an x402 payment can be.").optional(),
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
    status: 400,
    title: "Unknown model",
    when: "No model has this ID or alias, it has retired, your API key is not allowed to use it, or it can't be used with this endpoint: embedding models don't answer prompts.",
    fix: "Use a model from details.supportedModels, or list them with GET /api/v1/models.",
    retry: "with a supported model",
    openai: "invalid_request_error",
    anthropic: { type: "not_found_error", status: 404 },
    headers: [],
    from: ["model", "prompt", "x402"],
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
    status: 401,
    title: "The API key is missing or invalid",
    when: "The Authorization header is missing, or the key is incomplete, unknown, revoked, expired, replaced or paused, or its account is frozen.",
    fix: "Send your key in the header Authorization: Bearer pp_…; details.reason says what is wrong with it.",
    retry: "with a working key",
    openai: "authentication_error",
    anthropic: { type: "authentication_error", status: null },
    headers: ["WWW-Authenticate"],
    from: ["key"],
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
    status: 403,
    title: "This API key is not allowed to do this",
    when: "The key lacks the scope for this endpoint, or the request comes from an IP address that the key does not allow.",
    fix: "details.reason says what is missing: a scope, or your IP address in the key's allowlist. Edit the key in the console, or use another key.",
    retry: "with a key that is allowed to",
    openai: "permission_error",
    anthropic: { type: "permission_error", status: null },
    headers: [],
    from: ["key"],
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
} as const satisfies Record<string, ErrorRow>;
