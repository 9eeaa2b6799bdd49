// Accounts: an owner, and the limits agreed with them.

import { now } from "@/lib/base/clock";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { type Database, prisma, type Transaction } from "@/lib/db/prisma";

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
