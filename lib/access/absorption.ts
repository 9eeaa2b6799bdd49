// Absorption: an account that was never used is merged into another account of the same person. Its wallet moves there, its sessions end,
// and money that comes in at its deposit addresses later belongs to the account that absorbed it. It absorbs and is absorbed at most once.

import type { AccountId } from "@/lib/base/ids";
import type { Database, Transaction } from "@/lib/db/prisma";
import { endAllSessions } from "./sessions";

/** The obstacle to an absorption, as far as accounts, keys and wallets show. */
export type Obstacle = "frozen" | "other_wallets" | "used";

/**
 * Locks the account until the transaction ends. Nobody adds a session, wallet or key to it meanwhile, and nothing comes in at its
 * addresses: `lockOwners` waits. Each later statement of the transaction sees everything that was committed before.
 */
export async function lockForAbsorption(accountId: AccountId, transaction: Transaction): Promise<void> {
  // Prisma has no row locks.
  await transaction.$queryRaw`SELECT id FROM account WHERE id = ${accountId} FOR UPDATE`;
}

/** The obstacle to absorbing this account; null without one. The caller asks the ledger, deposits and payments about its money. */
export async function findObstacle(accountId: AccountId, database: Database): Promise<Obstacle | null> {
  const account = await database.account.findUnique({
    where: { id: accountId },
    select: { state: true, _count: { select: { keys: true, identities: true, absorbed: true } } },
  });
  if (account?.state !== "open") return "frozen";
  const { keys, identities, absorbed } = account._count;
  if (identities !== 1) return "other_wallets";
  return keys > 0 || absorbed > 0 ? "used" : null;
}

/** Takes the account's wallet and sessions, and names the account that absorbs it. The caller has locked both wallets and the account. */
export async function absorbAccount(accountId: AccountId, into: AccountId, transaction: Transaction): Promise<void> {
  await endAllSessions(accountId, transaction, "absorbed");
  await transaction.identity.deleteMany({ where: { accountId } });
  await transaction.account.update({ where: { id: accountId }, data: { absorbedBy: into, state: "frozen" } });
}

/**
 * For each of these accounts, the account that owns the money coming in at its deposit addresses: itself, or the account that absorbed it.
 * None of them is absorbed before the transaction ends. An account that does not exist is absent.
 */
export async function lockOwners(accountIds: ReadonlySet<string>, transaction: Transaction): Promise<ReadonlyMap<string, AccountId>> {
  const rows = await transaction.$queryRaw<{ account: string; owner: AccountId }[]>`
    SELECT account, owner FROM access_lock_owners(${[...accountIds]}::text[])`;
  return new Map(rows.map(({ account, owner }) => [account, owner]));
}
