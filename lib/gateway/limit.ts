// The limits of an account on the way of a request: its rate and its slots in flight. A stream is in flight until its end.

import { retryAfter, writeLimitHeaders } from "@/lib/access/limits/headers";
import { limiter } from "@/lib/access/limits/limiter";
import { AppError } from "@/lib/base/errors";
import type { Caller } from "./caller";
import type { GatewayRequest } from "./request";

const limitText = {
  rate: "Too many requests in this minute",
  concurrency: "Too many requests in flight at once",
};

/** The 429 for a limit and how long until it may grant. */
export function rateLimitExceeded(limit: "rate" | "concurrency", retryAfterMs: number): AppError {
  return new AppError("RATE_LIMIT_EXCEEDED", {
    message: `${limitText[limit]}; try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s`,
    details: { limit, retryAfterMs: Math.ceil(retryAfterMs) },
    headers: { "retry-after": retryAfter(retryAfterMs) },
  });
}

/**
 * Takes one request and one slot in flight; the slot returns when the request ends.
 * @throws AppError RATE_LIMIT_EXCEEDED
 */
export async function limit(request: GatewayRequest, caller: Caller): Promise<void> {
  const entered = limiter().enter(caller.accountId, caller.limits);
  // In memory the answer is there at once; awaiting it would cost every request a turn.
  const entry = entered instanceof Promise ? await entered : entered;
  writeLimitHeaders(request.replyHeaders, entry.state);
  if (!entry.granted) throw rateLimitExceeded(entry.limit, entry.retryAfterMs);
  request.onEnd(entry.leave);
}
