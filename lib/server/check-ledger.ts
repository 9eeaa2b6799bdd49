// `npm run check-ledger`: checks the books of the database in DATABASE_URL, or of the sandbox in DATA_DIR (stopped or running),
// and reports each broken invariant.

import { checkBooks } from "@/lib/jobs/check-books";
import { rollUpRevenue } from "@/lib/ledger/roll-up";
import { withPresentDatabase } from "./present-database";
import { printReserves } from "./print-reserves";

/** Exit code 0 when every invariant holds; 1 when an invariant is broken or the books cannot be read. */
export async function main(): Promise<void> {
  try {
    await withPresentDatabase(check);
  } catch (error) {
    process.stderr.write(`The ledger could not be checked. ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function check(): Promise<void> {
  await rollUpRevenue();
  await printReserves();
  const violations = await checkBooks({ isWhole: true });
  for (const { invariant, subject, expected, actual } of violations) {
    process.stdout.write(`FAILED: ${invariant}: ${subject} should be ${expected} but is ${actual}\n`);
  }
  process.stdout.write(
    violations.length === 0
      ? "The ledger is correct: every check passed.\n"
      : `${violations.length} ${violations.length === 1 ? "check" : "checks"} failed.\n`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
