// Revenue and the operator's losses. Requests do not touch these accounts, since a row that every request updates would make
// them queue; this job adds to them what was charged.

import { pool } from "@/lib/db/pool";

/** Rolls up everything committed so far. Running it twice, or in two processes at once, changes nothing more. */
export async function rollUpRevenue(): Promise<void> {
  // Two transactions: the first one's lock waits for the batches under way, and must not be held while charges are summed.
  const { rows } = await pool().query<{ mark: bigint }>("SELECT ledger_roll_up_mark() AS mark");
  await pool().query("SELECT ledger_roll_up($1)", [rows[0]?.mark]);
}
