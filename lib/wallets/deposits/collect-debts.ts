// Collects debts: reversed amounts of deposits and payments that were held at the time, taken once they are free. An account that spent the
// money meanwhile is frozen.

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { prisma } from "@/lib/db/prisma";
import { listDebtors } from "@/lib/ledger/accounts";

/**
 * Collects the free part of all accounts' debts. An account without holds that has less than it owes is frozen.
 * @throws the error of one account, after all others were processed
 */
export async function collectDebts(): Promise<void> {
  const failures: unknown[] = [];
  for (const accountId of await listDebtors()) await collect(accountId).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function collect(accountId: AccountId): Promise<void> {
  const rows = await prisma().$queryRaw<{ lost: bigint | null }[]>`
    SELECT wallets_collect_debts(${accountId}, ${now()}::timestamptz) AS lost`;
  const lost = rows[0]?.lost ?? 0n;
  if (lost === 0n) return;
  metrics().operatorLossNanoUsd.inc({ reason: "uncollected_debt" }, Number(lost));
  log().error(
    { accountId, lostNanoUsd: lost.toString() },
    "a reversed deposit had already been spent: the account is frozen and the operator bears the loss",
  );
}
