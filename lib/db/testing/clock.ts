// The database's clock in tests: a test's database believes the time that its callers give, so that setClock moves both.

import { readFileSync } from "node:fs";
import type { ClientBase, Pool } from "pg";

type Queryable = Pick<Pool | ClientBase, "query">;

/** From now on the database goes by the time of its callers' clocks. */
export const believeCallers = (database: Queryable): Promise<unknown> =>
  database.query(
    "CREATE OR REPLACE FUNCTION db_time(given timestamptz) RETURNS timestamptz LANGUAGE sql AS 'SELECT coalesce(given, clock_timestamp())'",
  );

/** As in production: the database goes by its own clock. */
export const believeDatabase = (database: Queryable): Promise<unknown> =>
  database.query(readFileSync("prisma/functions/db/clock.sql", "utf8"));
