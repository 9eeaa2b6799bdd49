// Accounts: an owner, and the limits agreed with them.

import { now } from "@/lib/base/clock";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { type Database, type Prisma, prisma, type Transaction } from "@/lib/db/prisma";
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
 * Ends the keys and sessions that may act for the account. Wallets stay linked, since money that comes in later is still their owner's. The
 * caller has locked the account.
 */
export async function closeAccount(accountId: AccountId, transaction: Transaction): Promise<void> {
  const at = now();
  await transaction.apiKey.updateMany({ where: { accountId, state: { not: "revoked" } }, data: { state: "revoked", revokedAt: at } });
  await endAllSessions(accountId, transaction, "closed");
  await transaction.signInNonce.deleteMany({ where: { accountId } });
  await transaction.account.update({ where: { id: accountId }, data: { closedAt: at, erasedAt: null } });
}

/**
 * Closed by this moment, and not erased. An account frozen by the operator stays as it is; a merged account is frozen for ever, and is
 * erased.
 */
const erasable = (closedBy: Date) =>
  ({
    closedAt: { lte: closedBy },
    erasedAt: null,
    OR: [{ state: "open" }, { absorbedBy: { not: null } }],
  }) satisfies Prisma.AccountWhereInput;

/** The accounts that were closed by this moment, and know of persons yet. */
export async function listClosed(by: Date): Promise<{ id: AccountId }[]> {
  const rows = await prisma().account.findMany({ where: erasable(by), select: { id: true }, take: 1_000 });
  return rows.map(({ id }) => ({ id: id as AccountId }));
}

/**
 * Erases the personal data in the tables of access: keys lose their names and networks, sessions their browsers, and failed requests go.
 * False, with nothing changed, when the account was opened again or frozen since. The caller has locked it.
 */
export async function eraseAccount(accountId: AccountId, closedBy: Date, transaction: Transaction): Promise<boolean> {
  const { count } = await transaction.account.updateMany({ where: { id: accountId, ...erasable(closedBy) }, data: { erasedAt: now() } });
  if (count === 0) return false;
  await transaction.apiKey.updateMany({
    where: { accountId },
    data: { name: "closed", networks: [], oldHash: null, oldLast4: null, oldUntil: null },
  });
  await transaction.session.updateMany({ where: { accountId }, data: { userAgent: "", clientAddress: "" } });
  await transaction.failedRequest.deleteMany({ where: { accountId } });
  return true;
}

/** Opens the account again when its owner had closed it; whether it was closed. Waits for a closing that is under way. */
export async function reopenAccount(accountId: AccountId, transaction: Transaction): Promise<boolean> {
  await lockAccount(accountId, transaction);
  const { count } = await transaction.account.updateMany({
    where: { id: accountId, closedAt: { not: null } },
    data: { closedAt: null, erasedAt: null },
  });
  return count === 1;
}
