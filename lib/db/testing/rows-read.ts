// Counts what a statement reads, by PostgreSQL's own statistics: a plan that reads too much shows, however quick the test.

import type { ClientBase } from "pg";

/** Number of a table's rows that the open transaction has read, by whatever access path. */
export async function rowsRead(client: ClientBase, table: string): Promise<number> {
  const { rows } = await client.query(
    "SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = $1",
    [table],
  );
  return rows[0].read;
}
