// Deposits as their owner sees them: what came in, how far it is, and where to look it up.

import { assert } from "@/lib/base/assert";
import type { AccountId } from "@/lib/base/ids";
import { fromCents, type NanoUsd, nanoUsd } from "@/lib/base/money";
import { metrics } from "@/lib/base/observe/metrics";
import { transactionUrl } from "@/lib/chains/explorer";
import { prisma } from "@/lib/db/prisma";

const CHAINS = ["base", "solana"] as const;
const STATES = ["seen", "confirming", "credited", "below_minimum", "reversed"] as const;

/**
 * seen (in the newest block) → confirming → credited, or below_minimum until its address has the minimum; reversed when its
 * block left the chain for good.
 */
export type DepositState = (typeof STATES)[number];

export type DepositChain = (typeof CHAINS)[number];

/** An address is credited once this much came in at it; until then what came is kept for its owner. */
export const MINIMUM_DEPOSIT: NanoUsd = fromCents(100);

export interface Deposit {
  id: string;
  chain: DepositChain;
  state: DepositState;
  amount: NanoUsd;
  /** The account's own address. */
  address: string;
  transaction: string;
  /** Shows the transaction to anybody; null where its chain has no public explorer, as in a sandbox. */
  transactionUrl: string | null;
  block: number;
  /** Blocks from its own on, up to `neededConfirmations`. */
  confirmations: number;
  /** How many it takes until its block is safe, as far as can be told now. */
  neededConfirmations: number;
  /** Nothing can undo it: the money can leave again. */
  isFinal: boolean;
  seenAt: Date;
  creditedAt: Date | null;
  reversedAt: Date | null;
}

interface DepositPage {
  limit: number;
  /** The last deposit of the page before. */
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
    const [chain, state] = [row.chain as DepositChain, row.state as DepositState];
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

interface Uncredited {
  amounts: Record<DepositChain, NanoUsd>;
  /** When it was read, Unix milliseconds, by the database's clock: the clocks of two processes need not agree. */
  readAtMs: number;
}

/** What came in at the account's addresses and waits there for the minimum. */
export async function readUncredited(accountId: AccountId): Promise<Uncredited> {
  // The sums and the moment of the same statement: Prisma has no word for the database's clock.
  const [row] = await prisma().$queryRaw<Record<DepositChain | "readAtMs", bigint>[]>`
    SELECT coalesce(sum(amount) FILTER (WHERE chain = 'base'), 0)::bigint AS base,
      coalesce(sum(amount) FILTER (WHERE chain = 'solana'), 0)::bigint AS solana,
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "readAtMs"
    FROM deposit WHERE account_id = ${accountId} AND state = 'below_minimum' AND missing_since IS NULL`;
  assert(row, "a sum is one row");
  return { amounts: { base: nanoUsd(row.base), solana: nanoUsd(row.solana) }, readAtMs: Number(row.readAtMs) };
}

/** Shows in the metrics how many deposits there are of each state. It reads them all. */
export async function measureDeposits(): Promise<void> {
  const counts = await prisma().deposit.groupBy({ by: ["chain", "state"], _count: true });
  const { deposits } = metrics();
  for (const chain of CHAINS) for (const state of STATES) deposits.set({ chain, state }, 0);
  for (const { chain, state, _count } of counts) deposits.set({ chain, state }, _count);
}

/** What one address has that is not credited, in nano-USD. */
export interface UncreditedAddress {
  chain: Deposit["chain"];
  address: string;
  accountId: string;
  amount: NanoUsd;
}

/** Every address that has less than the minimum, the largest sum first. */
export async function readAllUncredited(limit: number): Promise<UncreditedAddress[]> {
  const sums = await prisma().deposit.groupBy({
    by: ["chain", "address", "accountId"],
    where: { state: "below_minimum" },
    _sum: { amount: true },
    orderBy: [{ _sum: { amount: "desc" } }, { address: "asc" }],
    take: limit,
  });
  return sums.map(({ chain, _sum, ...row }) => ({ ...row, chain: chain as DepositChain, amount: nanoUsd(_sum.amount ?? 0n) }));
}
