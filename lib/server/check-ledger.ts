// `npm run check-ledger`: proves the books of the database that DATABASE_URL names, or of the sandbox that is stopped or
// running in DATA_DIR, and says where they are broken.

import { join, resolve } from "node:path";
import { config } from "@/lib/base/config";
import { runningPostgresUrl, startEmbeddedPostgres } from "@/lib/db/embedded";
import { closePool, setDatabaseUrl } from "@/lib/db/pool";
import { checkLedger } from "@/lib/ledger/check";
import { rollUpRevenue } from "@/lib/ledger/roll-up";

async function openDatabase(): Promise<() => Promise<void>> {
  const { DATABASE_URL, DATA_DIR } = config();
  const dataDir = resolve(join(DATA_DIR, "postgres"));
  const running = DATABASE_URL ?? (await runningPostgresUrl(dataDir));
  if (running) {
    setDatabaseUrl(running);
    return async () => undefined;
  }
  const embedded = await startEmbeddedPostgres({ dataDir });
  setDatabaseUrl(embedded.url);
  return embedded.stop;
}

/** Exit code 0 when every invariant holds, 1 when one does not. */
export async function main(): Promise<void> {
  const close = await openDatabase();
  try {
    await rollUpRevenue();
    const violations = await checkLedger();
    for (const { invariant, subject, expected, actual } of violations) {
      process.stdout.write(`BROKEN: ${invariant}: ${subject} should be ${expected} and is ${actual}\n`);
    }
    process.stdout.write(violations.length === 0 ? "The books are clean: every invariant holds.\n" : `${violations.length} invariants are broken.\n`);
    process.exitCode = violations.length === 0 ? 0 : 1;
  } finally {
    await closePool();
    await close();
  }
}
