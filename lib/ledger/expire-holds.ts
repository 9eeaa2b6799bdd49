// Holds that nobody settles any more: their process died, or their deadline passed. Each ends exactly once and leaves a record: the
// provider may have been asked, and may bill for it. A settlement that comes later finds the hold gone, and takes what it still may.

import { now } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { pool } from "@/lib/db/pool";
import type { Commit } from "./commit/commit";

const MAX_PER_STATEMENT = 1_000;

/** Frees what is past its deadline, or all that a dead process held; with it the claims of idempotency keys. Returns how many holds. */
export async function expireHolds({ functions }: Commit, deadProcess: string | null = null): Promise<number> {
  let freed = 0;
  for (;;) {
    const values = [deadProcess, MAX_PER_STATEMENT, now()];
    const { rows } = await pool().query<{ request_id: string }>(`SELECT request_id FROM ${functions.expireHolds}($1, $2, $3)`, values);
    freed += rows.length;
    if (rows.length > 0) {
      metrics().holdsExpired.inc(rows.length);
      log().warn({ holds: rows.length, first: rows[0]?.request_id, deadProcess }, "freed holds that nobody settled");
    }
    if (rows.length < MAX_PER_STATEMENT) return freed;
  }
}
