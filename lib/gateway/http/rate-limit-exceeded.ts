// The 429 of every limit: an account's rate and slots, and failed authentications of an address.

import { retryAfter } from "@/lib/access/limits/entry";
import { AppError } from "@/lib/base/errors";

const limitText = {
  rate: "Too many requests in this minute",
  concurrency: "Too many requests in flight at once",
};

/** The error for a limit and how long until it may grant. */
export function rateLimitExceeded(limit: "rate" | "concurrency", retryAfterMs: number): AppError {
  return new AppError("RATE_LIMIT_EXCEEDED", {
    message: `${limitText[limit]}; try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s`,
    details: { limit, retryAfterMs: Math.ceil(retryAfterMs) },
    headers: { "retry-after": retryAfter(retryAfterMs) },
  });
}
