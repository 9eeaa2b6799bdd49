// The headers of answers, each described once: those of every answer, and those of some.

import type { Header, Reference } from "./types";

export const headers = {
  "X-Request-Id": {
    description: "Names this request in your records and ours: the requestId of the body.",
    schema: { type: "string", pattern: "^req_[0-9A-Za-z]{20}$" },
    example: "req_0WAqXk3e7Tz0Lm5RbV2c",
  },
  "RateLimit-Policy": {
    description: "The limits: requests in a window of 60 seconds, and requests in flight at the same time.",
    schema: { type: "string" },
    example: '"rate";q=100;w=60, "concurrency";q=10;qu="concurrent-requests"',
  },
  RateLimit: {
    description: "What is left of each limit (r), and the seconds until the rate is whole again (t).",
    schema: { type: "string" },
    example: '"rate";r=99;t=1, "concurrency";r=9',
  },
  "X-RateLimit-Limit": { description: "Requests a minute.", schema: { type: "integer" }, example: "100" },
  "X-RateLimit-Remaining": { description: "Requests left now.", schema: { type: "integer" }, example: "99" },
  "X-RateLimit-Reset": {
    description: "When the rate is whole again, in Unix seconds.",
    schema: { type: "integer" },
    example: "1796083201",
  },
  "Retry-After": {
    description: "Seconds to wait before the same request may pass.",
    schema: { type: "integer", minimum: 1 },
    example: "1",
  },
  "Idempotent-Replayed": {
    description: "true on the first answer sent again under its Idempotency-Key; nothing was charged for it.",
    schema: { type: "string", const: "true" },
  },
  "X-Clipped-To": {
    description: "The output limit in tokens, when it was lowered to what balance, cap and maxCost allowed.",
    schema: { type: "integer", minimum: 1 },
    example: "4096",
  },
  "Server-Timing": {
    description: "Milliseconds that this service took, and that the model's provider took.",
    schema: { type: "string" },
    example: "gateway;dur=1.21, provider;dur=640.02",
  },
  "PAYMENT-REQUIRED": {
    description: "What may be signed, in x402's own form: base64 of its JSON.",
    schema: { type: "string" },
  },
  "PAYMENT-RESPONSE": {
    description: "What became of the payment, in x402's own form: base64 of its JSON.",
    schema: { type: "string" },
  },
  "WWW-Authenticate": { description: "How to authenticate.", schema: { type: "string", const: "Bearer" } },
  Allow: { description: "The methods that this path takes.", schema: { type: "string" }, example: "POST" },
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
