// How often a client may request challenges and try to sign in with them. There is no limit for all clients together: an attacker with
// a hundred networks could use it up and keep everybody else out. The number of stored challenges is bounded by the table itself.

import { networkOf, siteOf } from "./client-address";
import { limiter } from "./limits/limiter";

const CHALLENGES = { ratePerMinute: 30, concurrency: 1_000 };
/** Twice the rate of challenges: those of two minutes may be answered within one. */
const ATTEMPTS = { ratePerMinute: 60, concurrency: 1_000 };

/** Counts one challenge of this client; returns the wait in milliseconds when there were too many. */
export const countChallenge = (clientAddress: string): Promise<{ retryAfterMs: number } | null> =>
  count("challenges", clientAddress, CHALLENGES);

/** The same for one sign-in attempt: each reads the database, and may make a chain's node run a stranger's code. */
export const countAttempt = (clientAddress: string): Promise<{ retryAfterMs: number } | null> => count("sign-ins", clientAddress, ATTEMPTS);

/** A whole IPv6 /48, which holds 65,536 /64s, has ten times as much as one. An account's id is its own network and site. */
const TIMES_OF_SITE = 10;

async function count(what: string, subject: string, limits: typeof CHALLENGES): Promise<{ retryAfterMs: number } | null> {
  const [network, site] = [networkOf(subject), siteOf(subject)];
  const counted = [{ name: network, limits }];
  if (site !== network) {
    counted.push({ name: `site ${site}`, limits: { ...limits, ratePerMinute: TIMES_OF_SITE * limits.ratePerMinute } });
  }
  for (const { name, limits } of counted) {
    const entry = await limiter().enter(`${what} of ${name}`, limits);
    if (!entry.granted) return { retryAfterMs: entry.retryAfterMs };
    entry.leave();
  }
  return null;
}
