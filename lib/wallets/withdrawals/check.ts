// Proves that what is pending in the books is what the open withdrawals hold, or says where it is not.

import { findViolations, type Violation } from "@/lib/ledger/check";

/** Reads every withdrawal and its transfers; an empty list means that every invariant holds. */
export const checkWithdrawals = (): Promise<Violation[]> =>
  findViolations("SELECT invariant, subject, expected::text, actual::text FROM wallets_check_withdrawals() LIMIT 100");
