// Erases the personal data of closed accounts' owners. Apart from closing them, which a page does: a job loads no part of Next.

import { eraseAccount, listClosed, lockAccount } from "@/lib/access/accounts";
import { erasePersonalOf } from "@/lib/audit/erase";
import { DAY_MS, dateOf, nowMs } from "@/lib/base/clock";
import { forEachIsolated } from "@/lib/base/for-each-isolated";
import type { AccountId } from "@/lib/base/ids";
import { actAs, inTransaction } from "@/lib/db/prisma";
import { deleteEventsOf } from "@/lib/events/endpoints";

export const ERASED_AFTER_DAYS = 7;

/** Erases personal data from the accounts that were closed seven days ago, and are closed still. A job runs it. */
export async function eraseClosedAccounts(): Promise<void> {
  const by = dateOf(nowMs() - ERASED_AFTER_DAYS * DAY_MS);
  const erase = ({ id }: { id: AccountId }) =>
    inTransaction(async (transaction) => {
      await actAs({ kind: "job", job: "erase-closed-accounts" }, transaction);
      await lockAccount(id, transaction);
      if (!(await eraseAccount(id, by, transaction))) return;
      await deleteEventsOf(id, transaction);
      await erasePersonalOf(id, transaction); // last: also from the entries that this commit wrote
    });
  await forEachIsolated(await listClosed(by), erase, { what: "account" });
}
