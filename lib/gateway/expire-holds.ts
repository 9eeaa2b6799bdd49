// The reaper: frees holds whose process died before it could settle. Every hold ends exactly once: a settlement that comes
// later finds it gone, charges what is available, and the rest is the operator's loss.

import { now } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { pool } from "@/lib/db/pool";

const MOST_PER_RUN = 1_000;

/** Frees what is past its deadline; returns how many holds. */
export async function expireHolds(): Promise<number> {
  let freed = 0;
  for (;;) {
    const { rows } = await pool().query<{ request_id: string }>("SELECT request_id FROM gateway_expire_holds($1, $2)", [
      now(),
      MOST_PER_RUN,
    ]);
    freed += rows.length;
    if (rows.length > 0) {
      metrics().holdsExpired.inc(rows.length);
      log().warn({ holds: rows.length, first: rows[0]?.request_id }, "freed holds that nobody settled");
    }
    if (rows.length < MOST_PER_RUN) return freed;
  }
}
