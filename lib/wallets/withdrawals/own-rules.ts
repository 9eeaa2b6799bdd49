// An owner's rules for their own withdrawals: a daily limit, a waiting time, and which wallets may be paid. Stricter rules hold at once.
// Looser rules hold after 24 hours: until then the rules before hold beside them (wallets_own_rules), so that an intruder must wait where
// they can be seen.

import { lockAccount } from "@/lib/access/accounts";
import { DAY_MS, now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import type { Wallet, WalletChain } from "@/lib/chains/wallet";
import { inTransaction, prisma, type Transaction } from "@/lib/db/prisma";

export interface OwnRules {
  /** The most that may leave in 24 hours, nano-USD; null: no limit of their own. */
  dailyLimit: NanoUsd | null;
  /** How long a withdrawal waits before it is paid. */
  waitSeconds: number;
  /** The wallets that may be paid; empty: every linked one. */
  destinations: readonly Wallet[];
}

export interface HeldRules {
  /** The owner's newest rules. */
  newest: OwnRules;
  dailyLimit: NanoUsd | null;
  waitSeconds: number;
  /** The wallets that may be paid; null: every linked one. */
  destinations: readonly Wallet[] | null;
  allows: (wallet: Wallet) => boolean;
  /** When only the newest rules hold; null: now. */
  until: Date | null;
}

export const MAX_WAIT_SECONDS = 72 * 3_600;
const LOOSER_AFTER_MS = DAY_MS;

const noRules: OwnRules = { dailyLimit: null, waitSeconds: 0, destinations: [] };

/** The rules that hold now: the strictest of the newest rules and of those replaced less than a day ago. */
export async function readHeldRules(accountId: AccountId): Promise<HeldRules> {
  const since = new Date(now().getTime() - LOOSER_AFTER_MS);
  const where = { accountId, OR: [{ replacedAt: null }, { replacedAt: { gt: since } }] };
  const rows = await prisma().withdrawalRules.findMany({ where });
  const held = rows.map(readRow);
  const [least = null] = held.flatMap(({ dailyLimit }) => dailyLimit ?? []).toSorted((one, other) => Number(one - other));
  const [first, ...others] = held.flatMap(({ destinations }) => (destinations.length > 0 ? [destinations] : []));
  const replaced = rows.flatMap(({ replacedAt }) => replacedAt?.getTime() ?? []);
  return {
    newest: newestOf(rows),
    dailyLimit: least,
    waitSeconds: Math.max(0, ...held.map(({ waitSeconds }) => waitSeconds)),
    destinations: first?.filter((wallet) => others.every((list) => includesWallet(list, wallet))) ?? null,
    allows: (wallet) => held.every(({ destinations }) => destinations.length === 0 || includesWallet(destinations, wallet)),
    until: replaced.length > 0 ? new Date(Math.max(...replaced) + LOOSER_AFTER_MS) : null,
  };
}

/** Whether rules allow anything that others do not. */
export function isLooser(rules: OwnRules, than: OwnRules): boolean {
  const paysMore = than.dailyLimit !== null && (rules.dailyLimit === null || rules.dailyLimit > than.dailyLimit);
  const paysElsewhere =
    than.destinations.length > 0 &&
    (rules.destinations.length === 0 || !rules.destinations.every((wallet) => includesWallet(than.destinations, wallet)));
  return paysMore || rules.waitSeconds < than.waitSeconds || paysElsewhere;
}

/**
 * Replaces the owner's rules, if they still are `before`. False otherwise: another page changed them meanwhile, so the owner confirmed a
 * change of other rules.
 */
export const setOwnRules = (accountId: AccountId, rules: OwnRules, before: OwnRules): Promise<boolean> =>
  inTransaction(async (transaction) => {
    await lockAccount(accountId, transaction);
    const rows = await transaction.withdrawalRules.findMany({ where: { accountId } });
    const current = newestOf(rows);
    if (isLooser(current, before) || isLooser(before, current)) return false;
    if (!isLooser(rules, current) && !isLooser(current, rules)) return true;
    await replace(accountId, rules, rows, transaction);
    return true;
  });

type Row = Awaited<ReturnType<Transaction["withdrawalRules"]["findMany"]>>[number];

/** Drops old rules that are nowhere stricter than the new ones, which add nothing, and rules replaced a day ago, which hold no more. */
async function replace(accountId: AccountId, rules: OwnRules, rows: readonly Row[], transaction: Transaction): Promise<void> {
  const at = now();
  const isOver = ({ replacedAt }: Row) => replacedAt !== null && replacedAt.getTime() <= at.getTime() - LOOSER_AFTER_MS;
  const over = rows.filter((row) => isOver(row) || !isLooser(rules, readRow(row))).map(({ id }) => id);
  await transaction.withdrawalRules.deleteMany({ where: { id: { in: over } } });
  await transaction.withdrawalRules.updateMany({ where: { accountId, replacedAt: null }, data: { replacedAt: at } });
  const destinations = rules.destinations.map(({ chain, address }) => `${chain}:${address}`);
  await transaction.withdrawalRules.create({
    data: { accountId, dailyLimit: rules.dailyLimit, waitSeconds: rules.waitSeconds, destinations, madeAt: at },
  });
}

function newestOf(rows: readonly Row[]): OwnRules {
  const newest = rows.find(({ replacedAt }) => replacedAt === null);
  return newest ? readRow(newest) : noRules;
}

const readRow = ({ dailyLimit, waitSeconds, destinations }: Row): OwnRules => ({
  waitSeconds,
  dailyLimit: dailyLimit === null ? null : nanoUsd(dailyLimit),
  destinations: destinations.map((text) => {
    const [chain = "", address = ""] = text.split(":");
    return { chain: chain as WalletChain, address };
  }),
});

const includesWallet = (wallets: readonly Wallet[], { chain, address }: Wallet): boolean =>
  wallets.some((one) => one.chain === chain && one.address === address);
