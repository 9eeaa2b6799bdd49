// check-ledger: proves that the books are right, the ledger in itself and what each folder says of it, or tells where they are not.

import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { checkLedger, type Violation } from "@/lib/ledger/check";
import { checkPayments } from "@/lib/payments/claims/check";
import { checkDeposits } from "@/lib/wallets/deposits/check";
import { findDeficit } from "@/lib/wallets/reserves/check-reserves";
import { checkWithdrawals } from "@/lib/wallets/withdrawals/check";

const checks = [checkLedger, checkDeposits, checkWithdrawals, checkPayments, findDeficit];

/** Reads all the books, each check in a snapshot of its own; an empty list means that every invariant holds. */
export async function checkBooks(): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const check of checks) violations.push(...(await check()));
  metrics().ledgerViolations.set(violations.length);
  for (const violation of violations) log().error({ violation }, "the books do not add up");
  return violations;
}
