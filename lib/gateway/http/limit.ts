// The limits of an account on the way of a request: its rate and its slots in flight. A stream is in flight until its end.

import type { Entry } from "@/lib/access/limits/entry";
import { writeLimitHeaders } from "@/lib/access/limits/entry";
import { limiter } from "@/lib/access/limits/limiter";
import type { Buyer } from "./caller";
import { rateLimitExceeded } from "./rate-limit-exceeded";
import type { GatewayRequest } from "./request";

/**
 * Takes one request and one slot in flight; the slot returns when the request ends.
 * @throws AppError RATE_LIMIT_EXCEEDED
 */
export function limit(request: GatewayRequest, { limitedAs, limits }: Buyer): void | Promise<void> {
  const entered = limiter().enter(limitedAs, limits);
  // In memory the answer is there at once; awaiting it would cost every request a turn.
  return entered instanceof Promise ? entered.then((entry) => admit(request, entry)) : admit(request, entered);
}

function admit(request: GatewayRequest, entry: Entry): void {
  writeLimitHeaders(request.replyHeaders, entry.state);
  if (!entry.granted) throw rateLimitExceeded(entry.limit, entry.retryAfterMs);
  request.onEnd(entry.leave);
}
