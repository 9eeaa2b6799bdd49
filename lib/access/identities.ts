// Identities: the wallets that own an account. A wallet owns at most one account, and an account keeps at least one wallet.

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import type { Wallet, WalletChain } from "@/lib/chains/wallet";
import { type Database, lockName, prisma, type Transaction } from "@/lib/db/prisma";
import { lockAccount } from "./accounts";

export interface Identity {
  wallet: Wallet;
  linkedAt: Date;
  /** True when signing in with this wallet opened the account. */
  isFirst: boolean;
}

/** Locks this wallet until the transaction ends: no other transaction opens an account with it, links or unlinks it meanwhile. */
export const lockWallet = ({ chain, address }: Wallet, transaction: Transaction): Promise<void> =>
  lockName(`identity ${chain} ${address}`, transaction);

/** The account that this wallet owns, or null. */
export async function findAccountOf({ chain, address }: Wallet, database: Database = prisma()): Promise<AccountId | null> {
  const identity = await database.identity.findUnique({ where: { chain_address: { chain, address } }, select: { accountId: true } });
  return (identity?.accountId as AccountId | undefined) ?? null;
}

/** Gives the account a wallet. The caller has locked the wallet and found that it owns no account. */
export async function addIdentity(
  accountId: AccountId,
  { chain, address }: Wallet,
  isFirst: boolean,
  transaction: Transaction,
): Promise<void> {
  await transaction.identity.create({ data: { chain, address, accountId, isFirst, linkedAt: now() } });
}

/** The account's wallets, the oldest first. */
export async function listIdentities(accountId: AccountId, database: Database = prisma()): Promise<Identity[]> {
  const rows = await database.identity.findMany({
    where: { accountId },
    orderBy: [{ linkedAt: "asc" }, { chain: "asc" }, { address: "asc" }],
  });
  return rows.map(({ chain, address, linkedAt, isFirst }) => ({ linkedAt, isFirst, wallet: { chain: chain as WalletChain, address } }));
}

/** Takes a wallet from the account, unless it is its last. The caller has locked the wallet. */
export async function removeIdentity(
  accountId: AccountId,
  { chain, address }: Wallet,
  transaction: Transaction,
): Promise<"removed" | "last" | "unknown"> {
  await lockAccount(accountId, transaction); // two concurrent removals would each count the other's wallet as remaining
  const wallets = await transaction.identity.findMany({ where: { accountId }, select: { chain: true, address: true } });
  if (!wallets.some((wallet) => wallet.chain === chain && wallet.address === address)) return "unknown";
  if (wallets.length === 1) return "last";
  await transaction.identity.delete({ where: { chain_address: { chain, address } } });
  return "removed";
}
