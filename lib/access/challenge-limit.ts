// How often a client may ask for challenges, and try to sign in with them. There is no limit for all clients together: with
// one, whoever has a hundred networks could use it up and keep everybody out. What bounds the table is the table itself.

import { networkOf } from "./client-address";
import { limiter } from "./limits/limiter";

const CHALLENGES = { ratePerMinute: 30, concurrency: 1_000 };
/** Challenges of two minutes may come back in one. */
const ATTEMPTS = { ratePerMinute: 60, concurrency: 1_000 };

/** Counts one challenge of this client; returns how long to wait, in milliseconds, when there were too many. */
export const countChallenge = (clientAddress: string): Promise<{ retryAfterMs: number } | null> =>
  count(`challenges of ${networkOf(clientAddress)}`, CHALLENGES);

/** The same for one attempt to sign in: each reads the database, and may have a node of the chain run a stranger's code. */
export const countAttempt = (clientAddress: string): Promise<{ retryAfterMs: number } | null> =>
  count(`sign-ins of ${networkOf(clientAddress)}`, ATTEMPTS);

async function count(subject: string, limits: typeof CHALLENGES): Promise<{ retryAfterMs: number } | null> {
  const entry = await limiter().enter(subject, limits);
  if (!entry.granted) return { retryAfterMs: entry.retryAfterMs };
  entry.leave();
  return null;
}
