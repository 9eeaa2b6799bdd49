// Proves that the ledger is consistent, or reports where it is not.

import { now } from "@/lib/base/clock";
import { readAtLength } from "@/lib/db/read-at-length";

/** One violated invariant of the ledger. Amounts are nano-USD; the invariant says where they are counts or seconds. */
export interface Violation {
  invariant: string;
  subject: string;
  expected: string;
  actual: string;
}

/** Reads the whole ledger; an empty list means that every invariant holds. */
export const checkLedger = (): Promise<Violation[]> =>
  findViolations("SELECT invariant, subject, expected::text, actual::text FROM ledger_check(db_time($1)) LIMIT 100", [now()]);

/** Whether the books hold only what they may, whatever their sums are: kinds of accounts and transfers, refunds, deadlines, ids. */
export const checkRules = (): Promise<Violation[]> => findViolations("SELECT * FROM ledger_check_rules() LIMIT 100");

/** Runs a statement that returns violations, with enough time for a large ledger. */
export const findViolations = (statement: string, values: readonly unknown[] = []): Promise<Violation[]> =>
  readAtLength<Violation>(statement, values);
