// Checks that the books match the state of each deposit, and reports every mismatch.

import { findViolations, type Violation } from "@/lib/ledger/check";

/** Reads every deposit and its transfers; an empty list means that every invariant holds. */
export const checkDeposits = (): Promise<Violation[]> =>
  findViolations("SELECT invariant, subject, expected::text, actual::text FROM wallets_check_deposits() LIMIT 100");
