// Reads over whole tables: one statement in its own snapshot, with hours to answer, where `pool` allows only seconds.

import type { QueryConfig, QueryResultRow } from "pg";
import { HOUR_MS } from "@/lib/base/clock";
import { pool } from "./pool";

/** Enough to read hundreds of millions of rows. */
const MAX_MS = 6 * HOUR_MS;

/** Runs a statement that compares large tables as a whole. @throws what pg throws */
export async function readAtLength<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const client = await pool().connect();
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // Whole tables are compared: nested loops, which a planner without statistics picks, would take forever.
    await client.query("SET LOCAL statement_timeout = 0; SET LOCAL enable_nestloop = off; SET LOCAL work_mem = '64MB'");
    // A pg setting that pg's types lack.
    const query: QueryConfig & { query_timeout: number } = { text, values: [...values], query_timeout: MAX_MS };
    const { rows } = await client.query<Row>(query);
    await client.query("COMMIT");
    client.release();
    return rows;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
