// The end of a test that used the request path: the process's own pools are closed before the database is dropped.

import { expect } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import { pool } from "@/lib/db/pool";
import { commit } from "@/lib/gateway/prompt/commit";
import { closeCommitConnections } from "@/lib/ledger/commit/connections";
import { expireHolds } from "@/lib/ledger/expire-holds";
import { checkLedger } from "../check";
import { rollUpRevenue } from "../roll-up";

/** Run it after all tests of a file, before its database is dropped. */
export async function closeRequestPath(): Promise<void> {
  await commit().idle();
  await closeCommitConnections();
}

/** Days later: the reaper has freed all leftovers, nothing is held, every invariant holds, and no money appeared or disappeared. */
export async function expectBooksToClose(): Promise<void> {
  const later = nowMs() + 3 * 86_400_000;
  const restoreClock = setClock(() => later);
  try {
    await expireHolds(commit());
    await rollUpRevenue();
    expect(await checkLedger()).toEqual([]);
  } finally {
    restoreClock();
  }
  const { rows } = await pool().query<{
    sum: string;
    held: string;
    least: bigint;
    charged: string;
    revenue: bigint;
    losses: bigint;
    loss: string;
  }>(
    `SELECT sum(posted)::text AS sum, sum(held)::text AS held, min(posted) FILTER (WHERE kind = 'customer') AS least,
       (SELECT coalesce(sum(input_cost + output_cost + operator_loss), 0)::text FROM charge) AS charged,
       (SELECT coalesce(sum(operator_loss), 0)::text FROM charge) AS loss,
       max(posted) FILTER (WHERE id = 'revenue') AS revenue, -max(posted) FILTER (WHERE id = 'operator_loss') AS losses
     FROM ledger_account`,
  );
  const [books] = rows;
  expect(books).toMatchObject({ sum: "0", held: "0", charged: String(books?.revenue), loss: String(books?.losses) });
  expect(books?.least).toBeGreaterThanOrEqual(0n);
}
