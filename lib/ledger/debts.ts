// Debts: what a reversal could not take back of an account, because it was held for requests under way. It is taken once that is free
// again; only what is missing then stays lost to the operator.

import type { AccountId } from "@/lib/base/ids";
import { prisma } from "@/lib/db/prisma";

/** Accounts with a debt, each once. */
export async function listDebtors(): Promise<AccountId[]> {
  const debtors = await prisma().debt.groupBy({ by: ["accountId"] });
  return debtors.map(({ accountId }) => accountId as AccountId);
}
