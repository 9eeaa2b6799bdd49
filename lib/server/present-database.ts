// The database that a command works on: that of DATABASE_URL, or that of the sandbox in DATA_DIR (stopped or running). A command never
// creates one.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { config } from "@/lib/base/config";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { runningPostgresUrl, startEmbeddedPostgres } from "@/lib/db/embedded";
import { closePool } from "@/lib/db/pool";
import { withClient } from "@/lib/db/with-client";
import { asOperator } from "./audit/operator";
import { databaseProblem } from "./start-problem";

/**
 * Runs `work` with the database open, and leaves it running or stopped, as before.
 * @throws Error that says what to do when there is none; what `work` throws
 */
export async function withPresentDatabase(work: () => Promise<void>): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = config();
  if (DATABASE_URL) return withDatabaseAt(DATABASE_URL, work);
  const close = await openSandboxDatabase(DATA_DIR);
  try {
    await asOperator(work);
  } finally {
    await closePool();
    await close();
  }
}

/** Runs `work` with the operator's database at `url`. @throws Error that names the fault of the address; what `work` throws */
export async function withDatabaseAt(url: string, work: () => Promise<void>): Promise<void> {
  try {
    await withClient(url, "pennyprompt command", async () => undefined); // the driver reports why it cannot be reached; Prisma does not
    setDatabaseUrl(url);
    await asOperator(work);
  } catch (error) {
    throw databaseProblem(error, url);
  } finally {
    await closePool();
  }
}

/** Resolves with a function that closes it again; a database that was already running keeps running. */
async function openSandboxDatabase(directory: string): Promise<() => Promise<void>> {
  const dataDir = resolve(join(directory, "postgres"));
  const running = await runningPostgresUrl(dataDir);
  if (running) {
    setDatabaseUrl(running);
    return async () => undefined;
  }
  if (!existsSync(dataDir)) throw new Error(`There is no ledger in DATA_DIR=${directory}. Start the sandbox once, or set DATABASE_URL.`);
  const embedded = await startEmbeddedPostgres({ dataDir });
  setDatabaseUrl(embedded.url);
  return embedded.stop;
}
