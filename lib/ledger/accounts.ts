// Ledger accounts: the money owed to each owner. A customer's ledger account has the id of its owner's account.

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import { type Database, prisma, type Transaction } from "@/lib/db/prisma";

/** An account's balance, in nano-USD: `available` = `posted` − `held`, less the debt of a reversed deposit. */
export interface Balance {
  posted: NanoUsd;
  held: NanoUsd;
  available: NanoUsd;
}

/** Opens the ledger account of a customer; opening it twice changes nothing. */
export const openCustomerAccount = (accountId: AccountId, database?: Database): Promise<void> =>
  openAccount(accountId, "customer", database);

/** Opens an account that money comes from, such as a chain or the sandbox's faucet; incoming money makes it negative. */
export const openFundingAccount = (name: string, database?: Database): Promise<void> => openAccount(name, "funding", database);

/** Opens an account for money that came in and belongs to no customer yet, such as deposits below the minimum. */
export const openLiabilityAccount = (name: string, database?: Database): Promise<void> => openAccount(name, "liability", database);

/** Opens an account for losses that the operator bears; each loss makes it more negative. */
export const openLossAccount = (name: string, database?: Database): Promise<void> => openAccount(name, "operator_loss", database);

type Kind = "customer" | "funding" | "liability" | "operator_loss";

async function openAccount(id: string, kind: Kind, database: Database = prisma()): Promise<void> {
  await database.ledgerAccount.createMany({ data: { id, kind, createdAt: now() }, skipDuplicates: true });
}

/** @throws Error when the account does not exist: a ledger account is opened with its owner */
export async function readBalance(accountId: AccountId, database: Database = prisma()): Promise<Balance> {
  const select = { posted: true, held: true, debt: true } as const;
  const account = await database.ledgerAccount.findUnique({ where: { id: accountId }, select });
  if (!account) throw new Error(`account ${accountId} has no ledger account`);
  const { posted, held, debt } = account;
  const free = posted - held - debt;
  return { posted: nanoUsd(posted), held: nanoUsd(held), available: free > 0n ? nanoUsd(free) : ZERO_USD };
}

/** Locks an account's money until the transaction ends: no hold and no withdrawal is taken from it meanwhile. */
export async function lockBalance(accountId: AccountId, transaction: Transaction): Promise<void> {
  await transaction.$executeRaw`SELECT ledger_lock_accounts(ARRAY[${accountId}])`;
}

/** The balance below which the owner is told, in nano-USD; null when they did not ask for it. */
export async function readLowLine(accountId: AccountId): Promise<NanoUsd | null> {
  const line = (await prisma().ledgerAccount.findUnique({ where: { id: accountId }, select: { lowLine: true } }))?.lowLine ?? null;
  return line === null ? null : nanoUsd(line);
}

/** Tells the owner that a request was refused for want of money: once, until some comes in. */
export async function tellExhausted(accountId: AccountId, needed: NanoUsd): Promise<void> {
  await prisma().$executeRaw`SELECT ledger_tell_exhausted(${accountId}, ${needed}::bigint, ${now()}::timestamptz)`;
}

/** Sets the balance below which the owner is told; null: they are not. A line above the balance tells them at once. */
export async function setLowLine(accountId: AccountId, line: NanoUsd | null): Promise<void> {
  // It locks a customer's ledger account: one call that commits by itself.
  await prisma().$executeRaw`SELECT ledger_set_low_line(${accountId}, ${line}::bigint)`;
}

/** Whether the account never had money: no transfer or charge names it, and nothing is held of it or owed by it. */
export async function isUnused(accountId: AccountId, database: Database = prisma()): Promise<boolean> {
  const withMoney = { id: accountId, OR: [{ posted: { not: 0n } }, { held: { not: 0n } }, { debt: { not: 0n } }] };
  const [account, entry, charge] = [
    await database.ledgerAccount.findFirst({ where: withMoney, select: { id: true } }),
    await database.entry.findFirst({ where: { accountId }, select: { accountId: true } }),
    await database.charge.findFirst({ where: { accountId }, select: { accountId: true } }),
  ];
  return !account && !entry && !charge;
}

/** Accounts with a debt: the amount that a reversal could not take, since it was held for requests under way. Each once. */
export async function listDebtors(): Promise<AccountId[]> {
  const debtors = await prisma().debt.groupBy({ by: ["accountId"] });
  return debtors.map(({ accountId }) => accountId as AccountId);
}
