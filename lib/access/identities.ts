// Identities: the wallets that own an account. A wallet owns one account at the most, and an account keeps at least one wallet.

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import type { Wallet, WalletChain } from "@/lib/chains/wallet";
import { pool, type Queryable } from "@/lib/db/pool";
import type { Transaction } from "@/lib/db/prisma";

export interface Identity {
  wallet: Wallet;
  linkedAt: Date;
  /** True when signing in with this wallet opened the account. */
  isFirst: boolean;
}

/** Lets nobody else open, link or unlink this wallet until the transaction ends. */
export async function lockWallet({ chain, address }: Wallet, transaction: Transaction): Promise<void> {
  await transaction.query("SELECT pg_advisory_xact_lock(hashtextextended('identity ' || $1 || ' ' || $2, 0))", [chain, address]);
}

/** The account that this wallet owns, or null. */
export async function findAccountOf({ chain, address }: Wallet, database: Queryable = pool()): Promise<AccountId | null> {
  const { rows } = await database.query<{ accountId: AccountId }>(
    `SELECT account_id AS "accountId" FROM identity WHERE chain = $1 AND address = $2`,
    [chain, address],
  );
  return rows[0]?.accountId ?? null;
}

/** Gives the account a wallet. The caller has locked it and found that it owns no account. */
export async function addIdentity(accountId: AccountId, wallet: Wallet, isFirst: boolean, transaction: Transaction): Promise<void> {
  await transaction.query("INSERT INTO identity (chain, address, account_id, linked_at, is_first) VALUES ($1, $2, $3, $4, $5)", [
    wallet.chain,
    wallet.address,
    accountId,
    now(),
    isFirst,
  ]);
}

/** The account's wallets, the oldest first. */
export async function listIdentities(accountId: AccountId, database: Queryable = pool()): Promise<Identity[]> {
  const { rows } = await database.query<Omit<Identity, "wallet"> & { chain: WalletChain; address: string }>(
    `SELECT chain, address, linked_at AS "linkedAt", is_first AS "isFirst" FROM identity WHERE account_id = $1
     ORDER BY linked_at, chain, address`,
    [accountId],
  );
  return rows.map(({ chain, address, ...identity }) => ({ ...identity, wallet: { chain, address } }));
}

/** Takes a wallet from the account, unless it is its last. The caller has locked the wallet. */
export async function removeIdentity(
  accountId: AccountId,
  { chain, address }: Wallet,
  transaction: Transaction,
): Promise<"removed" | "last" | "unknown"> {
  // Two wallets that are taken away at once would each see the other.
  await transaction.query("SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE", [accountId]);
  const { rowCount } = await transaction.query(
    `DELETE FROM identity WHERE account_id = $1 AND chain = $2 AND address = $3
     AND EXISTS (SELECT FROM identity o WHERE o.account_id = $1 AND (o.chain, o.address) <> ($2, $3))`,
    [accountId, chain, address],
  );
  if (rowCount === 1) return "removed";
  return (await findAccountOf({ chain, address }, transaction)) === accountId ? "last" : "unknown";
}
