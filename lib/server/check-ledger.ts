// `npm run check-ledger`: proves the books of the database that DATABASE_URL names, or of the sandbox that is stopped or
// running in DATA_DIR, and says where they are broken.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { config } from "@/lib/base/config";
import { runningPostgresUrl, startEmbeddedPostgres } from "@/lib/db/embedded";
import { closePool, setDatabaseUrl } from "@/lib/db/pool";
import { checkBooks } from "@/lib/jobs/check-books";
import { rollUpRevenue } from "@/lib/ledger/roll-up";
import { databaseProblem } from "./start-problem";

/** @throws Error when there is no database to check: one is not made for that */
async function openDatabase(): Promise<() => Promise<void>> {
  const { DATABASE_URL, DATA_DIR } = config();
  const dataDir = resolve(join(DATA_DIR, "postgres"));
  const running = DATABASE_URL ?? (await runningPostgresUrl(dataDir));
  if (running) {
    setDatabaseUrl(running);
    return async () => undefined;
  }
  if (!existsSync(dataDir)) throw new Error(`There is no ledger in DATA_DIR=${DATA_DIR}: start the sandbox once, or set DATABASE_URL.`);
  const embedded = await startEmbeddedPostgres({ dataDir });
  setDatabaseUrl(embedded.url);
  return embedded.stop;
}

/** Exit code 0 when every invariant holds, 1 when one does not or the books cannot be read. */
export async function main(): Promise<void> {
  try {
    await check();
  } catch (error) {
    process.stderr.write(`The books could not be checked. ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function check(): Promise<void> {
  const close = await openDatabase();
  try {
    await rollUpRevenue();
    const violations = await checkBooks();
    for (const { invariant, subject, expected, actual } of violations) {
      process.stdout.write(`BROKEN: ${invariant}: ${subject} should be ${expected} and is ${actual}\n`);
    }
    process.stdout.write(
      violations.length === 0 ? "The books are clean: every invariant holds.\n" : `${violations.length} invariants are broken.\n`,
    );
    process.exitCode = violations.length === 0 ? 0 : 1;
  } catch (error) {
    const { DATABASE_URL } = config();
    throw DATABASE_URL ? databaseProblem(error, DATABASE_URL) : error;
  } finally {
    await closePool();
    await close();
  }
}
