// Holds that will not be settled: their process died, or their deadline passed. Each ends exactly once and leaves a record: the provider
// may have been called, and may bill for it. A later settlement finds the hold gone, and takes as much as it still may.

import { now } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { type DeadProcess, processId } from "@/lib/db/heartbeat";
import { prisma } from "@/lib/db/prisma";
import type { SqlCall } from "./commit/codec";
import type { Commit } from "./commit/commit";

const MAX_PER_STATEMENT = 1_000;

/**
 * Frees the holds that are half a minute past their deadline, or all holds of this process, and the claims of their idempotency keys. Returns
 * their number.
 */
export const expireHolds = ({ functions }: Commit, ownProcess: string | null = null): Promise<number> =>
  freeAll(functions.expireHolds(ownProcess, MAX_PER_STATEMENT, now()), { ownProcess });

/** Frees this process's own holds that are past their deadline. Returns their number. */
export const expireOwnHolds = ({ functions }: Commit): Promise<number> =>
  freeAll(functions.expireOwn(processId(), MAX_PER_STATEMENT, now()), { ownProcess: processId() });

/** Frees the holds of a dead process, and their claims; nothing once it has beaten again. Returns their number. */
export const freeDeadHolds = ({ functions }: Commit, { id, beat }: DeadProcess): Promise<number> =>
  freeAll(functions.freeDeadHolds(id, beat, MAX_PER_STATEMENT, now()), { deadProcess: id });

/** Calls a function that frees holds until it finds few. */
async function freeAll({ text, values }: SqlCall, whose: Record<string, string | null>): Promise<number> {
  let freed = 0;
  for (;;) {
    const expired = await prisma().$queryRawUnsafe<{ requestId: string }[]>(`SELECT request_id AS "requestId" FROM ${text}`, ...values);
    freed += expired.length;
    if (expired.length > 0) {
      metrics().holdsExpired.inc(expired.length);
      log().warn({ holds: expired.length, first: expired[0]?.requestId, ...whose }, "freed expired holds");
    }
    if (expired.length < MAX_PER_STATEMENT) return freed;
  }
}
