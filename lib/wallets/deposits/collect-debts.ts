// Collecting debts: what was taken back of a deposit or a payment while it was held, and is taken once it is free again. An account
// that spent it meanwhile is frozen.

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { prisma } from "@/lib/db/prisma";
import { listDebtors } from "@/lib/ledger/debts";

/**
 * Collects what is free by now of all accounts with debts. One that has less than it owes when nothing is held any more is frozen.
 * @throws what went wrong with one, after all others
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
    "money that was taken back had been spent: its account is frozen, the operator bears it",
  );
}
