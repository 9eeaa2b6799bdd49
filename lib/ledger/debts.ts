// Debts: what a reversal could not take back of an account, because it was held for requests under way. It is taken once that is free
// again; only what is missing then stays lost to the operator.

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { pool } from "@/lib/db/pool";
import { inTransaction, type Transaction } from "@/lib/db/prisma";

/** Stops an account from spending, in the transaction that it is handed. */
type Freeze = (accountId: AccountId, transaction: Transaction) => Promise<void>;

/**
 * Collects what is free by now of all accounts with debts. One that has less than it owes when nothing is held any more is frozen.
 * @throws what went wrong with one, after all others
 */
export async function collectDebts(freeze: Freeze): Promise<void> {
  const { rows } = await pool().query<{ id: AccountId }>("SELECT ledger_indebted() AS id");
  const failures: unknown[] = [];
  for (const { id } of rows) await collect(id, freeze).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function collect(accountId: AccountId, freeze: Freeze): Promise<void> {
  const lost = await inTransaction(async (transaction) => {
    const { rows } = await transaction.query<{ lost: bigint | null }>("SELECT ledger_collect_debts($1, $2) AS lost", [accountId, now()]);
    const missing = rows[0]?.lost ?? 0n;
    if (missing > 0n) await freeze(accountId, transaction);
    return missing;
  });
  if (lost === 0n) return;
  metrics().operatorLossNanoUsd.inc({ reason: "uncollected_debt" }, Number(lost));
  log().error(
    { accountId, lostNanoUsd: lost.toString() },
    "money that was taken back had been spent: its account is frozen, the operator bears it",
  );
}
