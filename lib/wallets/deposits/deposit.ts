// Deposits as their owner sees them: amount, progress, and an explorer link.

import { type ChainId, chainIds, perChain } from "@/lib/base/chains";
import type { AccountId } from "@/lib/base/ids";
import { fromCents, type NanoUsd, nanoUsd } from "@/lib/base/money";
import { metrics } from "@/lib/base/observe/metrics";
import { transactionUrl } from "@/lib/chains/explorer";
import { type Database, prisma } from "@/lib/db/prisma";

const STATES = ["seen", "confirming", "credited", "below_minimum", "reversed"] as const;

/**
 * seen (in the newest block) → confirming → credited, or below_minimum until its address has the minimum; reversed when its
 * block left the chain for good.
 */
export type DepositState = (typeof STATES)[number];

/** An address is credited once it has received this much; until then the money is kept for its owner. */
export const MINIMUM_DEPOSIT: NanoUsd = fromCents(100);

export interface Deposit {
  id: string;
  chain: ChainId;
  state: DepositState;
  amount: NanoUsd;
  /** The account's own address. */
  address: string;
  transaction: string;
  /** The transaction's explorer page; null on a chain without a public explorer, as in a sandbox. */
  transactionUrl: string | null;
  block: number;
  /** Blocks including its own, up to `neededConfirmations`. */
  confirmations: number;
  /** Estimated number of confirmations until its block is safe. */
  neededConfirmations: number;
  /** The deposit cannot be undone, so the money can be withdrawn. */
  isFinal: boolean;
  seenAt: Date;
  creditedAt: Date | null;
  reversedAt: Date | null;
}

interface DepositPage {
  limit: number;
  /** The last deposit of the previous page. */
  after?: Pick<Deposit, "seenAt" | "id">;
}

/** The account's deposits, newest first. */
export async function listDeposits(accountId: AccountId, { limit, after }: DepositPage): Promise<Deposit[]> {
  const behind = after && { seenAt: { lte: after.seenAt }, OR: [{ seenAt: { lt: after.seenAt } }, { id: { lt: after.id } }] };
  const [rows, scans] = await Promise.all([
    prisma().deposit.findMany({ where: { accountId, ...behind }, orderBy: [{ seenAt: "desc" }, { id: "desc" }], take: limit }),
    prisma().chainScan.findMany(),
  ]);
  return rows.map(({ id, address, transaction, block, seenAt, creditedAt, reversedAt, ...row }) => {
    const [chain, state] = [row.chain as ChainId, row.state as DepositState];
    const shown = { id, chain, state, address, transaction, block, seenAt, creditedAt, reversedAt };
    return {
      ...shown,
      amount: nanoUsd(row.amount),
      isFinal: row.finalized,
      transactionUrl: transactionUrl(chain, transaction),
      ...confirmationsOf(
        shown,
        scans.find((scan) => scan.chain === chain),
      ),
    };
  });
}

function confirmationsOf({ state, block }: Pick<Deposit, "state" | "block">, head: Record<"latest" | "safe", number> | undefined) {
  if (!head) return { confirmations: 0, neededConfirmations: 1 };
  const { latest, safe } = head;
  const needed = Math.max(1, latest - safe + 1);
  if (state === "reversed") return { confirmations: 0, neededConfirmations: needed };
  const isThrough = state === "credited" || state === "below_minimum";
  const passed = isThrough ? needed : Math.max(1, latest - block + 1);
  return { confirmations: Math.min(passed, needed), neededConfirmations: needed };
}

/** Whether the account ever had a deposit, in any state. */
export async function hasDeposits(accountId: AccountId, database: Database = prisma()): Promise<boolean> {
  return (await database.deposit.findFirst({ where: { accountId }, select: { id: true } })) !== null;
}

/** Deposits at the account's addresses that wait for the minimum, nano-USD. */
export async function readUncredited(accountId: AccountId): Promise<Record<ChainId, NanoUsd>> {
  const sums = await prisma().deposit.groupBy({
    by: ["chain"],
    where: { accountId, state: "below_minimum", missingSince: null },
    _sum: { amount: true },
  });
  const sumOn = (chain: ChainId) => nanoUsd(sums.find((one) => one.chain === chain)?._sum.amount ?? 0n);
  return perChain(sumOn);
}

/** Updates the metrics with the number of deposits per state. It reads them all. */
export async function measureDeposits(): Promise<void> {
  const counts = await prisma().deposit.groupBy({ by: ["chain", "state"], _count: true });
  const { deposits } = metrics();
  for (const chain of chainIds) for (const state of STATES) deposits.set({ chain, state }, 0);
  for (const { chain, state, _count } of counts) deposits.set({ chain, state }, _count);
}

/** The uncredited amount of one address, in nano-USD. */
export interface UncreditedAddress {
  chain: Deposit["chain"];
  address: string;
  accountId: string;
  amount: NanoUsd;
}

/** Every address with less than the minimum, the largest sum first. */
export async function readAllUncredited(limit: number): Promise<UncreditedAddress[]> {
  const sums = await prisma().deposit.groupBy({
    by: ["chain", "address", "accountId"],
    where: { state: "below_minimum" },
    _sum: { amount: true },
    orderBy: [{ _sum: { amount: "desc" } }, { address: "asc" }],
    take: limit,
  });
  return sums.map(({ chain, _sum, ...row }) => ({ ...row, chain: chain as ChainId, amount: nanoUsd(_sum.amount ?? 0n) }));
}
