// The headers of answers, each described once: those of every answer, and those of some.

import type { Header, Reference } from "./types";

export const headers = {
  "X-Request-Id": {
    description: "Identifies this request. Same value as requestId in the body.",
    schema: { type: "string", pattern: "^req_[0-9A-Za-z]{20}$" },
    example: "req_0WAqXk3e7Tz0Lm5RbV2c",
  },
  "RateLimit-Policy": {
    description:
      "Your account's limits: requests per 60 seconds, and concurrent requests. Without a valid API key, invalid keys per 60 seconds from your IP network.",
    schema: { type: "string" },
    example: '"rate";q=100;w=60, "concurrency";q=10;qu="concurrent-requests"',
  },
  RateLimit: {
    description:
      "What remains of each limit (r), and seconds until the rate limit is fully restored, or until one request is allowed after a 429 (t).",
    schema: { type: "string" },
    example: '"rate";r=99;t=1, "concurrency";r=9',
  },
  "X-RateLimit-Limit": { description: "The rate limit, per minute.", schema: { type: "integer" }, example: "100" },
  "X-RateLimit-Remaining": { description: "What remains of the rate limit.", schema: { type: "integer" }, example: "99" },
  "X-RateLimit-Reset": {
    description: "When the rate limit is fully restored, or one request is allowed after a 429, in Unix seconds.",
    schema: { type: "integer" },
    example: "1796083201",
  },
  "Retry-After": {
    description: "Seconds to wait before you retry.",
    schema: { type: "integer", minimum: 1 },
    example: "1",
  },
  "Idempotent-Replayed": {
    description:
      "true if this is the stored answer of an earlier request with the same Idempotency-Key or payment. You are not charged again.",
    schema: { type: "string", const: "true" },
  },
  "X-Dropped-Tools": {
    description: "Names of tools that were dropped from the request, because only their vendor can run them.",
    schema: { type: "string" },
    example: "web_search",
  },
  "Request-Id": {
    description: "Same as X-Request-Id, for Anthropic's clients.",
    schema: { type: "string" },
    example: "req_0V9yWb8pQk3mZr5tLcXa",
  },
  "X-Clipped-To": {
    description:
      "The output limit in tokens, if it was lowered: to the model's maximum, or to what your balance, the key's spending limit and maxCost allowed.",
    schema: { type: "integer", minimum: 1 },
    example: "4096",
  },
  "Server-Timing": {
    description: "Milliseconds spent in this service and at the model's provider.",
    schema: { type: "string" },
    example: "gateway;dur=1.21, provider;dur=640.02",
  },
  "PAYMENT-REQUIRED": {
    description: "The x402 payment requirements, as base64-encoded JSON.",
    schema: { type: "string" },
  },
  "PAYMENT-RESPONSE": {
    description: "The x402 settlement result, as base64-encoded JSON.",
    schema: { type: "string" },
  },
  "WWW-Authenticate": { description: "The authentication scheme.", schema: { type: "string", const: "Bearer" } },
  "Accept-Encoding": {
    description: "Supported compressions of the request body.",
    schema: { type: "string" },
    example: "gzip, deflate, br",
  },
  Allow: { description: "The methods this path accepts.", schema: { type: "string" }, example: "POST" },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof headers;

const onEveryAnswer = [
  "X-Request-Id",
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
] as const;

/** The headers of an answer: those of every answer, and `more`. */
export function headersWith(...more: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries([...onEveryAnswer, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
