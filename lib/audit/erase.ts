// Personal fields are kept no longer than needed: they are erased after AUDIT_PERSONAL_DAYS, and some days after the account is closed. The entry stays,
// and so does its commitment, which tells nothing without the salt.

import { DAY_MS, dateOf, nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { prisma, type Transaction } from "@/lib/db/prisma";

const ERASED_AT_ONCE = 10_000;

/** Erases personal fields that are old enough. A job runs it. */
export async function erasePersonal(): Promise<void> {
  const before = dateOf(nowMs() - config().AUDIT_PERSONAL_DAYS * DAY_MS);
  for (;;) {
    const count = await prisma().$executeRaw`
      UPDATE audit_entry SET personal = NULL, salt = NULL WHERE place IN (
        SELECT place FROM audit_entry WHERE personal IS NOT NULL AND at < ${before} LIMIT ${ERASED_AT_ONCE})`;
    if (count < ERASED_AT_ONCE) return;
  }
}

/** Erases the personal fields of an account's entries: it was closed. */
export async function erasePersonalOf(accountId: string, transaction: Transaction): Promise<void> {
  await transaction.$executeRaw`UPDATE audit_entry SET personal = NULL, salt = NULL WHERE account_id = ${accountId} AND personal IS NOT NULL`;
}
