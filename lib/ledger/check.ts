// Proves that the ledger is right in itself, or says where it is not.

import { now } from "@/lib/base/clock";
import { readAtLength } from "@/lib/db/read-at-length";

/** One broken promise of the ledger. Amounts are nano-USD, except for counts and seconds as the invariant says. */
export interface Violation {
  invariant: string;
  subject: string;
  expected: string;
  actual: string;
}

/** Reads the whole ledger; an empty list means that every invariant holds. */
export const checkLedger = (): Promise<Violation[]> =>
  findViolations("SELECT invariant, subject, expected::text, actual::text FROM ledger_check($1) LIMIT 100", [now()]);

/** Runs a statement that returns violations; it has as much time as a big ledger takes. */
export const findViolations = (statement: string, values: readonly unknown[] = []): Promise<Violation[]> =>
  readAtLength<Violation>(statement, values);
