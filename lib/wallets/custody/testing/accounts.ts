// Many customers' accounts at once, for tests of volume.

import { now } from "@/lib/base/clock";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { inTransaction } from "@/lib/db/prisma";

export async function openAccounts(count: number): Promise<AccountId[]> {
  const ids = Array.from({ length: count }, () => newAccountId());
  const createdAt = now();
  await inTransaction(async (transaction) => {
    await transaction.account.createMany({ data: ids.map((id) => ({ id, createdAt })) });
    await transaction.ledgerAccount.createMany({ data: ids.map((id) => ({ id, kind: "customer", createdAt })) });
  });
  return ids;
}
