// Sessions whose last signature is older than they let spend without another, for tests that cannot wait that long.

import { join } from "node:path";
import pg from "pg";
import { runningPostgresUrl } from "@/lib/db/embedded";
import { databaseDirectory } from "@/lib/db/testing/scratch";

/** Makes the last signature of the sessions of this browser an hour older. */
export async function forgetFreshness(userAgent: string): Promise<void> {
  const client = new pg.Client({ connectionString: await runningPostgresUrl(join(process.env.DATA_DIR ?? "", databaseDirectory)) });
  await client.connect();
  try {
    await client.query("UPDATE session SET confirmed_at = confirmed_at - interval '1 hour' WHERE user_agent = $1", [userAgent]);
  } finally {
    await client.end();
  }
}
