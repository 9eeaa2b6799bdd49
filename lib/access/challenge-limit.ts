// How many challenges may be given out. Each is a row for five minutes, and anybody may ask for one: so there is a limit for
// each client, and one for all of them together that bounds the table.

import { networkOf } from "./client-address";
import { limiter } from "./limits/limiter";

const PER_CLIENT = { ratePerMinute: 30, concurrency: 1_000 };
/** With five minutes and the job's pause, the table never holds more than about 20,000 rows a process. */
const TOGETHER = { ratePerMinute: 3_000, concurrency: 100_000 };

/** Counts one challenge of this client; returns how long to wait, in milliseconds, when there were too many. */
export async function countChallenge(clientAddress: string): Promise<{ retryAfterMs: number } | null> {
  for (const [subject, limits] of [
    [`challenges of ${networkOf(clientAddress)}`, PER_CLIENT],
    ["challenges", TOGETHER],
  ] as const) {
    const entry = await limiter().enter(subject, limits);
    if (!entry.granted) return { retryAfterMs: entry.retryAfterMs };
    entry.leave();
  }
  return null;
}
