// The database that a command works on: the one that DATABASE_URL names, or that of the sandbox that is stopped or running in
// DATA_DIR. None is made for a command.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { config } from "@/lib/base/config";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { runningPostgresUrl, startEmbeddedPostgres } from "@/lib/db/embedded";
import { closePool } from "@/lib/db/pool";
import { withClient } from "@/lib/db/with-client";
import { databaseProblem } from "./start-problem";

/**
 * Runs `work` with the database open, and leaves it as it was found.
 * @throws Error that says what to do when there is none; what `work` throws
 */
export async function withPresentDatabase(work: () => Promise<void>): Promise<void> {
  const { DATABASE_URL } = config();
  let close: () => Promise<void> = async () => undefined;
  try {
    close = await openDatabase();
    await work();
  } catch (error) {
    throw DATABASE_URL ? databaseProblem(error, DATABASE_URL) : error;
  } finally {
    await closePool();
    await close();
  }
}

async function openDatabase(): Promise<() => Promise<void>> {
  const { DATABASE_URL, DATA_DIR } = config();
  const dataDir = resolve(join(DATA_DIR, "postgres"));
  const running = DATABASE_URL ?? (await runningPostgresUrl(dataDir));
  if (running) {
    // The driver says why a database cannot be reached, Prisma does not.
    await withClient(running, "pennyprompt command", (client) => client.query("SELECT 1"));
    setDatabaseUrl(running);
    return async () => undefined;
  }
  if (!existsSync(dataDir)) throw new Error(`There is no ledger in DATA_DIR=${DATA_DIR}: start the sandbox once, or set DATABASE_URL.`);
  const embedded = await startEmbeddedPostgres({ dataDir });
  setDatabaseUrl(embedded.url);
  return embedded.stop;
}
