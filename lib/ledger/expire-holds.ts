// Holds that will not be settled: their process died, or their deadline passed. Each ends exactly once and leaves a record: the provider
// may have been called, and may bill for it. A later settlement finds the hold gone, and takes what it still may.

import { now } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { Prisma, prisma } from "@/lib/db/prisma";
import type { Commit } from "./commit/commit";

const MAX_PER_STATEMENT = 1_000;

/** Frees the holds past their deadline, or all holds of a dead process, and the claims of their idempotency keys. Returns their number. */
export async function expireHolds({ functions }: Commit, deadProcess: string | null = null): Promise<number> {
  const expire = Prisma.raw(functions.expireHolds);
  let freed = 0;
  for (;;) {
    const expired = await prisma().$queryRaw<{ requestId: string }[]>`
      SELECT request_id AS "requestId" FROM ${expire}(${deadProcess}, ${MAX_PER_STATEMENT}::integer, ${now()}::timestamptz)`;
    freed += expired.length;
    if (expired.length > 0) {
      metrics().holdsExpired.inc(expired.length);
      log().warn({ holds: expired.length, first: expired[0]?.requestId, deadProcess }, "freed expired holds");
    }
    if (expired.length < MAX_PER_STATEMENT) return freed;
  }
}
