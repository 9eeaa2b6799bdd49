// What a statement reads, counted by PostgreSQL itself: a plan that reads too much shows, however quick the test.

import type { ClientBase } from "pg";

/** How many rows of a table the open transaction has read, however it came to them. */
export async function rowsRead(client: ClientBase, table: string): Promise<number> {
  const { rows } = await client.query(
    "SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = $1",
    [table],
  );
  return rows[0].read;
}
