// How often a signed-in page may act. Each change is an entry of the audit log, which is kept for ever; and one session cannot keep the
// account's others from stopping it.

import type { Limits } from "@/lib/access/limits/bucket";
import { limiter } from "@/lib/access/limits/limiter";
import { durationText } from "@/lib/base/text/duration-text";
import { refuse } from "./answer";
import type { Owner } from "./owner";
import type { Refusal } from "./views/answer";

const OF_SESSION: Limits = { ratePerMinute: 60, concurrency: 20 };
const OF_ACCOUNT: Limits = { ratePerMinute: 240, concurrency: 80 };

/** Counts one action of this owner; the refusal, when there were too many. */
export async function countChange({ sessionId, accountId }: Pick<Owner, "sessionId" | "accountId">): Promise<Refusal | null> {
  const counted: readonly [string, Limits][] = [
    [`changes of ${sessionId}`, OF_SESSION],
    [`changes of ${accountId}`, OF_ACCOUNT],
  ];
  for (const [subject, limits] of counted) {
    const entry = await limiter().enter(subject, limits);
    if (!entry.granted) return refuse(`Too many changes in the last minute. Try again in ${durationText(entry.retryAfterMs / 1_000)}.`);
    entry.leave();
  }
  return null;
}
