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
  /** When it is unlinked; until then it signs nothing for the account. Null: it stays. */
  leavesAt: Date | null;
}

/** Locks this wallet until the transaction ends: no other transaction opens an account with it, links or unlinks it meanwhile. */
export const lockWallet = ({ chain, address }: Wallet, transaction: Transaction): Promise<void> =>
  lockName(`identity ${chain} ${address}`, transaction);

/** The account that this wallet owns, or null. */
export async function findAccountOf({ chain, address }: Wallet, database: Database = prisma()): Promise<AccountId | null> {
  const identity = await database.identity.findUnique({ where: { chain_address: { chain, address } }, select: { accountId: true } });
  return (identity?.accountId as AccountId | undefined) ?? null;
}

/** The account for which this wallet may sign: its own, unless it is about to leave it. */
export async function findSigningAccountOf({ chain, address }: Wallet, database: Database = prisma()): Promise<AccountId | null> {
  const identity = await database.identity.findUnique({
    where: { chain_address: { chain, address }, leavesAt: null },
    select: { accountId: true },
  });
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
  return rows.map(({ chain, address, ...identity }) => readRow(identity, { chain: chain as WalletChain, address }));
}

const readRow = ({ linkedAt, isFirst, leavesAt }: Omit<Identity, "wallet">, wallet: Wallet): Identity => ({
  linkedAt,
  isFirst,
  leavesAt,
  wallet,
});

/**
 * Says when a wallet leaves the account, unless none would stay. Nothing changes for a wallet that is leaving. The caller has locked it.
 */
export async function letIdentityLeave(
  accountId: AccountId,
  { chain, address }: Wallet,
  leavesAt: Date,
  transaction: Transaction,
): Promise<"leaving" | "last" | "unknown"> {
  await lockAccount(accountId, transaction);
  const wallets = await listIdentities(accountId, transaction);
  const isIt = ({ wallet }: Identity) => wallet.chain === chain && wallet.address === address;
  if (!wallets.some(isIt)) return "unknown";
  if (!wallets.some((one) => !isIt(one) && one.leavesAt === null)) return "last";
  await transaction.identity.updateMany({ where: { chain, address, accountId, leavesAt: null }, data: { leavesAt } });
  return "leaving";
}

/** Lets a wallet stay. False when the account has no such wallet that is leaving. */
export async function keepIdentity(accountId: AccountId, { chain, address }: Wallet): Promise<boolean> {
  const { count } = await prisma().identity.updateMany({
    where: { chain, address, accountId, leavesAt: { not: null } },
    data: { leavesAt: null },
  });
  return count === 1;
}

/** The wallets whose time has come, each with its account. Those of an account that is not open wait until it is. */
export async function listLeft(at: Date): Promise<{ accountId: AccountId; wallet: Wallet }[]> {
  const rows = await prisma().identity.findMany({
    where: { leavesAt: { lte: at }, account: { state: "open" } },
    orderBy: { leavesAt: "asc" },
    take: 1_000,
  });
  return rows.map(({ accountId, chain, address }) => ({
    accountId: accountId as AccountId,
    wallet: { chain: chain as WalletChain, address },
  }));
}

/**
 * Takes a wallet from the account, unless it is its last; with `leftBy` only a wallet whose time had come then, and from an open account: a
 * wallet that was kept meanwhile stays, and so do those of a frozen account. The caller has locked the wallet.
 */
export async function removeIdentity(
  accountId: AccountId,
  { chain, address }: Wallet,
  transaction: Transaction,
  leftBy?: Date,
): Promise<"removed" | "last" | "unknown"> {
  await lockAccount(accountId, transaction); // two concurrent removals would each count the other's wallet as remaining
  const wallets = await transaction.identity.findMany({ where: { accountId }, select: { chain: true, address: true } });
  if (!wallets.some((wallet) => wallet.chain === chain && wallet.address === address)) return "unknown";
  if (wallets.length === 1) return "last";
  const left = leftBy && { leavesAt: { lte: leftBy }, account: { state: "open" } };
  const { count } = await transaction.identity.deleteMany({ where: { chain, address, accountId, ...left } });
  return count === 1 ? "removed" : "unknown";
}
