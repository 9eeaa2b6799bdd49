// Checks that the pending amounts in the books match the open withdrawals, and reports every mismatch.

import { findViolations, type Violation } from "@/lib/ledger/check";

/** Reads every withdrawal and its transfers; an empty list means that every invariant holds. */
export const checkWithdrawals = (): Promise<Violation[]> =>
  findViolations("SELECT invariant, subject, expected::text, actual::text FROM wallets_check_withdrawals() LIMIT 100");
