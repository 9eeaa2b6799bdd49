// Holds that will not be settled: their process died, or their deadline passed. Each ends exactly once and leaves a record: the provider
// may have been called, and may bill for it. A later settlement finds the hold gone, and takes what it still may.

import { now } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { type DeadProcess, processId } from "@/lib/db/heartbeat";
import { Prisma, prisma } from "@/lib/db/prisma";
import type { Commit } from "./commit/commit";

const MAX_PER_STATEMENT = 1_000;

/**
 * Frees the holds that are half a minute past their deadline, or all holds of this process, and the claims of their idempotency keys. Returns
 * their number.
 */
export const expireHolds = ({ functions }: Commit, ownProcess: string | null = null): Promise<number> =>
  freeAll(Prisma.sql`${Prisma.raw(functions.expireHolds)}(${ownProcess}, ${MAX_PER_STATEMENT}::integer, ${now()}::timestamptz)`, {
    ownProcess,
  });

/** Frees this process's own holds that are past their deadline. Returns their number. */
export const expireOwnHolds = ({ functions }: Commit): Promise<number> =>
  freeAll(Prisma.sql`${Prisma.raw(functions.expireOwn)}(${processId()}, ${MAX_PER_STATEMENT}::integer, ${now()}::timestamptz)`, {
    ownProcess: processId(),
  });

/** Frees the holds of a dead process, and their claims; nothing once it has beaten again. Returns their number. */
export const freeDeadHolds = ({ functions }: Commit, { id, beat }: DeadProcess): Promise<number> =>
  freeAll(
    Prisma.sql`${Prisma.raw(functions.freeDeadHolds)}(${id}, ${beat}::bigint, ${MAX_PER_STATEMENT}::integer, ${now()}::timestamptz)`,
    { deadProcess: id },
  );

/** Calls a function that frees holds until it finds few. */
async function freeAll(call: Prisma.Sql, whose: Record<string, string | null>): Promise<number> {
  let freed = 0;
  for (;;) {
    const expired = await prisma().$queryRaw<{ requestId: string }[]>`SELECT request_id AS "requestId" FROM ${call}`;
    freed += expired.length;
    if (expired.length > 0) {
      metrics().holdsExpired.inc(expired.length);
      log().warn({ holds: expired.length, first: expired[0]?.requestId, ...whose }, "freed expired holds");
    }
    if (expired.length < MAX_PER_STATEMENT) return freed;
  }
}
