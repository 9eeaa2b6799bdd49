// Proves that the books hold each payment as its claim says, or reports where they do not.

import { findViolations, type Violation } from "@/lib/ledger/check";

/** Reads every claim and its transfers; an empty list means that every invariant holds. */
export const checkPayments = (): Promise<Violation[]> =>
  findViolations("SELECT invariant, subject, expected::text, actual::text FROM payments_check() LIMIT 100");
