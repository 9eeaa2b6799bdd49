// Deposits as their owner sees them: what came in, how far it is, and where to look it up.

import { assert } from "@/lib/base/assert";
import type { AccountId } from "@/lib/base/ids";
import { fromCents, type NanoUsd, nanoUsd } from "@/lib/base/money";
import { metrics } from "@/lib/base/observe/metrics";
import { transactionUrl } from "@/lib/chains/explorer";
import { pool } from "@/lib/db/pool";

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

interface Row extends Omit<Deposit, "amount" | "transactionUrl" | "confirmations" | "neededConfirmations"> {
  amount: bigint;
  latest: number | null;
  safe: number | null;
}

/** The account's deposits, newest first. */
export async function listDeposits(accountId: AccountId, { limit, after }: DepositPage): Promise<Deposit[]> {
  const { rows } = await pool().query<Row>(
    `SELECT d.id, d.chain, d.state, d.amount, d.address, d.transaction, d.block, d.finalized AS "isFinal", d.seen_at AS "seenAt",
       d.credited_at AS "creditedAt", d.reversed_at AS "reversedAt", s.latest, s.safe
     FROM deposit d LEFT JOIN chain_scan s ON s.chain = d.chain
     WHERE d.account_id = $1 AND ($2::timestamptz IS NULL OR (d.seen_at, d.id) < ($2, $3))
     ORDER BY d.seen_at DESC, d.id DESC LIMIT $4`,
    [accountId, after?.seenAt ?? null, after?.id ?? null, limit],
  );
  return rows.map(({ latest, safe, amount, ...row }) => ({
    ...row,
    amount: nanoUsd(amount),
    transactionUrl: transactionUrl(row.chain, row.transaction),
    ...confirmationsOf(row, latest, safe),
  }));
}

function confirmationsOf({ state, block }: Pick<Deposit, "state" | "block">, latest: number | null, safe: number | null) {
  if (latest === null || safe === null) return { confirmations: 0, neededConfirmations: 1 };
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
  const { rows } = await pool().query<Record<DepositChain | "readAtMs", bigint>>(
    `SELECT coalesce(sum(amount) FILTER (WHERE chain = 'base'), 0)::bigint AS base,
       coalesce(sum(amount) FILTER (WHERE chain = 'solana'), 0)::bigint AS solana,
       (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "readAtMs"
     FROM deposit WHERE account_id = $1 AND state = 'below_minimum' AND missing_since IS NULL`,
    [accountId],
  );
  const [row] = rows;
  assert(row, "a sum is one row");
  return { amounts: { base: nanoUsd(row.base), solana: nanoUsd(row.solana) }, readAtMs: Number(row.readAtMs) };
}

/** Shows in the metrics how many deposits there are of each state. It reads them all. */
export async function measureDeposits(): Promise<void> {
  const { rows } = await pool().query<Pick<Deposit, "chain" | "state"> & { count: bigint }>(
    "SELECT chain, state, count(*) FROM deposit GROUP BY chain, state",
  );
  const { deposits } = metrics();
  for (const chain of CHAINS) for (const state of STATES) deposits.set({ chain, state }, 0);
  for (const { chain, state, count } of rows) deposits.set({ chain, state }, Number(count));
}

/** What one address has that is not credited, in nano-USD. */
export interface UncreditedAddress {
  chain: Deposit["chain"];
  address: string;
  accountId: string;
  amount: NanoUsd;
}

/** Every address that has less than the minimum, the most first. */
export async function readAllUncredited(limit: number): Promise<UncreditedAddress[]> {
  const { rows } = await pool().query<Omit<UncreditedAddress, "amount"> & { amount: bigint }>(
    `SELECT chain, address, account_id AS "accountId", sum(amount)::bigint AS amount FROM deposit WHERE state = 'below_minimum'
     GROUP BY chain, address, account_id ORDER BY sum(amount) DESC, address LIMIT $1`,
    [limit],
  );
  return rows.map(({ amount, ...row }) => ({ ...row, amount: nanoUsd(amount) }));
}
