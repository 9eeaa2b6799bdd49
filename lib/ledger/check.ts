// Proves that the ledger is right in itself, or says where it is not.

import type { QueryConfig } from "pg";
import { now } from "@/lib/base/clock";
import { pool } from "@/lib/db/pool";

/** One broken promise of the ledger. Amounts are nano-USD, except for counts and seconds as the invariant says. */
export interface Violation {
  invariant: string;
  subject: string;
  expected: string;
  actual: string;
}

/** A ledger of hundreds of millions of charges is read within this; the pool's own limit is for requests. */
const MAX_MS = 6 * 3_600_000;

const STATEMENT = "SELECT invariant, subject, expected::text, actual::text FROM ledger_check($1) LIMIT 100";

/** Reads the whole ledger; an empty list means that every invariant holds. */
export const checkLedger = (): Promise<Violation[]> => findViolations(STATEMENT, [now()]);

/** Runs a statement that returns violations, in one snapshot and with as much time as a big ledger takes. */
export async function findViolations(statement: string, values: readonly unknown[] = []): Promise<Violation[]> {
  const client = await pool().connect();
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // Everything is compared with everything: nested loops, which a planner without statistics picks, would take for ever.
    await client.query("SET LOCAL statement_timeout = 0; SET LOCAL enable_nestloop = off; SET LOCAL work_mem = '64MB'");
    // A setting of pg's that its types do not know.
    const query: QueryConfig & { query_timeout: number } = { text: statement, values: [...values], query_timeout: MAX_MS };
    const { rows } = await client.query<Violation>(query);
    await client.query("COMMIT");
    client.release();
    return rows;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
