// Accounts: an owner, and the limits agreed with them.

import { now } from "@/lib/base/clock";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { type Database, prisma, type Transaction } from "@/lib/db/prisma";
import { endAllSessions } from "./sessions";

interface AccountLimits {
  ratePerMinute: number;
  concurrency: number;
}

/** Creates an account; `limits` only where they differ from the service's. */
export async function createAccount(limits?: AccountLimits, database: Database = prisma()): Promise<AccountId> {
  const id = newAccountId();
  await database.account.create({ data: { ...limits, id, createdAt: now() } });
  return id;
}

/** The limits agreed with this account; null where the service's apply. */
export async function readAgreedLimits(accountId: AccountId): Promise<{ [Limit in keyof AccountLimits]: AccountLimits[Limit] | null }> {
  const limits = await prisma().account.findUnique({ where: { id: accountId }, select: { ratePerMinute: true, concurrency: true } });
  return limits ?? { ratePerMinute: null, concurrency: null };
}

/** Locks the account until the transaction ends: no other transaction counts or changes its wallets and keys meanwhile. */
export async function lockAccount(accountId: AccountId, transaction: Transaction): Promise<void> {
  // Prisma has no row locks. NO KEY: other tables' foreign keys to this row stay usable.
  await transaction.$queryRaw`SELECT id FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`;
}

/**
 * Ends what may act for the account, and erases what it knows of persons here: keys lose their names and networks, sessions and failed
 * requests go. Wallets stay linked, since money that comes in later is still their owner's. The caller has locked the account.
 */
export async function closeAccount(accountId: AccountId, transaction: Transaction): Promise<void> {
  const at = now();
  await transaction.apiKey.updateMany({ where: { accountId, state: { not: "revoked" } }, data: { state: "revoked", revokedAt: at } });
  await transaction.apiKey.updateMany({
    where: { accountId },
    data: { name: "closed", networks: [], oldHash: null, oldLast4: null, oldUntil: null },
  });
  await endAllSessions(accountId, transaction, "closed");
  await transaction.session.updateMany({ where: { accountId }, data: { userAgent: "", clientAddress: "" } });
  await transaction.signInNonce.deleteMany({ where: { accountId } });
  await transaction.failedRequest.deleteMany({ where: { accountId } });
  await transaction.account.update({ where: { id: accountId }, data: { closedAt: at } });
}

/** Opens the account again when its owner had closed it; whether it was closed. Waits for a closing that is under way. */
export async function reopenAccount(accountId: AccountId, transaction: Transaction): Promise<boolean> {
  await lockAccount(accountId, transaction);
  const { count } = await transaction.account.updateMany({ where: { id: accountId, closedAt: { not: null } }, data: { closedAt: null } });
  return count === 1;
}
