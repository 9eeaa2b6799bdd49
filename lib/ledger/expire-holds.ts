// Holds that nobody settles any more: their process died, or their deadline passed. Each ends exactly once and leaves a record: the
// provider may have been asked, and may bill for it. A settlement that comes later finds the hold gone, and takes what it still may.

import { now } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { Prisma, prisma } from "@/lib/db/prisma";
import type { Commit } from "./commit/commit";

const MAX_PER_STATEMENT = 1_000;

/** Frees what is past its deadline, or all that a dead process held; with it the claims of idempotency keys. Returns how many holds. */
export async function expireHolds({ functions }: Commit, deadProcess: string | null = null): Promise<number> {
  const expire = Prisma.raw(functions.expireHolds);
  let freed = 0;
  for (;;) {
    const expired = await prisma().$queryRaw<{ requestId: string }[]>`
      SELECT request_id AS "requestId" FROM ${expire}(${deadProcess}, ${MAX_PER_STATEMENT}::integer, ${now()}::timestamptz)`;
    freed += expired.length;
    if (expired.length > 0) {
      metrics().holdsExpired.inc(expired.length);
      log().warn({ holds: expired.length, first: expired[0]?.requestId, deadProcess }, "freed holds that nobody settled");
    }
    if (expired.length < MAX_PER_STATEMENT) return freed;
  }
}
