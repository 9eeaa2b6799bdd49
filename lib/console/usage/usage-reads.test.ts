// The usage page's load on the database.

import { beforeAll, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { charge, someCharges } from "@/lib/ledger/testing/charges";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { readUsage } from "./usage";
import { readUsageQuery } from "./usage-query";

await openTestDatabase();
beforeAll(openFunding);

/** How many charges the server has read so far, by any access path. */
async function countRead(): Promise<number> {
  // A connection reports what it read when asked, or some seconds later.
  const connections = Array.from({ length: pool().totalCount });
  await Promise.all(connections.map(() => pool().query("SELECT pg_stat_force_next_flush(), pg_sleep(0.1)")));
  const { rows } = await pool().query<{ read: number }>(
    "SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS read FROM pg_stat_user_tables WHERE relname = 'charge'",
  );
  return rows[0]?.read ?? 0;
}

test("a page reads the charges of its days once, and its own rows a second time", async () => {
  const account = await fundedAccount(100_000_000);
  await charge(account, someCharges(400));
  for (const params of [{ by: "model" }, { by: "key", model: "gpt-4" }]) {
    const before = await countRead();
    const { rows } = await readUsage(account, readUsageQuery({ from: "2026-02-27", to: "2026-03-02", ...params }));
    const read = (await countRead()) - before;
    expect(rows).toHaveLength(50);
    expect(read).toBeGreaterThanOrEqual(400);
    // The rows of one model are searched among those of all.
    expect(read).toBeLessThanOrEqual(800);
  }
});
