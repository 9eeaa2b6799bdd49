// check-ledger: checks the invariants of the ledger, and of each folder's records against the ledger, and reports every violation.

import { checkChain } from "@/lib/audit/chain";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { checkLedger, type Violation } from "@/lib/ledger/check";
import { checkPayments } from "@/lib/payments/claims/check";
import { checkDeposits } from "@/lib/wallets/deposits/check";
import { findDeficit } from "@/lib/wallets/reserves/check-reserves";
import { checkWithdrawals } from "@/lib/wallets/withdrawals/check";

const checks = [checkLedger, checkDeposits, checkWithdrawals, checkPayments, findDeficit, checkAudit];

async function checkAudit(): Promise<Violation[]> {
  const fault = await checkChain();
  return fault === null
    ? []
    : [{ invariant: "the audit log is only added to", subject: "audit log", expected: "an unbroken chain", actual: fault }];
}

/** Runs every check, each in its own snapshot; an empty list means that every invariant holds. */
export async function checkBooks(): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const check of checks) violations.push(...(await check()));
  metrics().ledgerViolations.set(violations.length);
  for (const violation of violations) log().error({ violation }, "the ledger has an error");
  return violations;
}
