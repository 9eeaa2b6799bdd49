// Debts: the part of a reversal that could not be taken from an account because it was held for requests under way. It is taken once it is
// free again; only the amount missing then stays the operator's loss.

import type { AccountId } from "@/lib/base/ids";
import { prisma } from "@/lib/db/prisma";

/** Accounts with a debt, each once. */
export async function listDebtors(): Promise<AccountId[]> {
  const debtors = await prisma().debt.groupBy({ by: ["accountId"] });
  return debtors.map(({ accountId }) => accountId as AccountId);
}
