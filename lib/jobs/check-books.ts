// check-ledger: checks the invariants of the ledger, and of each folder's records against the ledger, and reports every violation.

import { checkChain } from "@/lib/audit/chain";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { checkKept, checkRefunds } from "@/lib/gateway/prompt/idempotency";
import { checkLedger, checkRules, type Violation } from "@/lib/ledger/check";
import { checkPayments } from "@/lib/payments/claims/check";
import { checkDeposits } from "@/lib/wallets/deposits/check";
import { findDeficit } from "@/lib/wallets/reserves/check-reserves";
import { checkWithdrawals } from "@/lib/wallets/withdrawals/check";

const checks = [checkLedger, checkRules, checkRefunds, checkKept, checkDeposits, checkWithdrawals, checkPayments, findDeficit, checkAudit];

interface Thoroughness {
  /** Walks the whole audit log, and not only the next part of it. */
  isWhole?: boolean;
}

async function checkAudit({ isWhole = false }: Thoroughness): Promise<Violation[]> {
  const fault = await checkChain(isWhole);
  return fault === null
    ? []
    : [{ invariant: "the audit log is only added to", subject: "audit log", expected: "an unbroken chain", actual: fault }];
}

/** Runs every check, each in its own snapshot; an empty list means that every invariant holds. */
export async function checkBooks(how: Thoroughness = {}): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const check of checks) violations.push(...(await check(how)));
  metrics().ledgerViolations.set(violations.length);
  for (const violation of violations) log().error({ violation }, "the ledger has an error");
  return violations;
}
