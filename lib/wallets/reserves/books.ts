// The books in one snapshot: depositors per chain, amounts owed, and bookings that the chains cannot show yet.

import { type ChainId, chainIds } from "@/lib/base/chains";
import { now } from "@/lib/base/clock";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { type Database, inTransaction, prisma, type Transaction } from "@/lib/db/prisma";
import { listUnseenArrivals } from "@/lib/ledger/arrivals";
import { readOwed } from "@/lib/ledger/owed";
import type { ScanEnd } from "../deposits/scan";
import type { Depositor } from "./holding";
import { listPayouts, type Payout } from "./payouts";

/** Heights up to which the chains are read; null for a chain that is not read. */
export interface Heights {
  base: number | null;
  /** The treasury's slot, and the slot of each deposit address; an address that is absent was not read. */
  solana: { treasury: number; addresses: ReadonlyMap<string, number> } | null;
}

export interface Books {
  at: Date;
  /** Customers' balances, less money that arrived above the heights. */
  customers: NanoUsd;
  /** The part of these that belongs to addresses without an account. */
  credits: NanoUsd;
  /** Everything owed, with the same deduction; payouts count as posted. */
  owed: NanoUsd;
  granted: NanoUsd;
  depositorsOnBase: Depositor[];
  /** The end of a Base range that was read, at or near the height. */
  readToOnBase: ScanEnd | null;
  payouts: Payout[];
}

/** The ledger's funding account of a chain, the source of deposits and payments. */
export const chainAccount = (chain: ChainId) => `${chain}_chain` as const;
const CHAIN_ACCOUNTS = chainIds.map(chainAccount);

/** Reads everything in one snapshot. Determine the heights before: then everything that a chain shows up to them is stored here. */
export function readBooks(heights: Heights): Promise<Books> {
  const read = async (snapshot: Transaction): Promise<Books> => {
    const at = now();
    const unseen = await readUnseen(heights, snapshot);
    const owed = await readOwed(snapshot, { chainAccounts: CHAIN_ACCOUNTS, unseen: unseen.credited });
    return {
      at,
      customers: owed.customers,
      credits: owed.credits,
      owed: nanoUsd(owed.customers + owed.liabilities - unseen.uncredited),
      granted: owed.granted,
      depositorsOnBase: await listDepositors("base", snapshot),
      readToOnBase: await findReadEnd(heights.base, snapshot),
      payouts: await listPayouts(at, snapshot),
    };
  };
  return inTransaction(read, { isolationLevel: "RepeatableRead" });
}

/**
 * All addresses that ever had a deposit on a chain, also those of accounts that another one absorbed. An address without a deposit holds no
 * money that a watcher has seen.
 */
export async function listDepositors(chain: ChainId, database: Database = prisma()): Promise<Depositor[]> {
  // Raw SQL: two tables without a relation, and more rows than a parameter list can hold.
  const rows = await database.$queryRaw<{ baseAddress: string; solanaOwner: string; tokenAccount: string }[]>`
    SELECT w.base_address AS "baseAddress", w.solana_owner AS "solanaOwner", w.solana_token_account AS "tokenAccount" FROM custodial_wallet w
    WHERE EXISTS (
      SELECT FROM deposit d WHERE d.chain = ${chain} AND d.address = CASE ${chain} WHEN 'base' THEN w.base_address ELSE w.solana_owner END)`;
  return rows.map(({ baseAddress, solanaOwner, tokenAccount }) =>
    chain === "base"
      ? { depositAddress: baseAddress, address: baseAddress.toLowerCase() }
      : { depositAddress: solanaOwner, address: tokenAccount },
  );
}

/** Base's final block at the last watch round; 0 before the first. */
export async function readKnownFinal(): Promise<number> {
  const scan = await prisma().chainScan.findUnique({ where: { chain: "base" }, select: { finalized: true } });
  return scan?.finalized ?? 0;
}

interface Unseen {
  /** nano-USD by account. */
  credited: Map<string, bigint>;
  uncredited: bigint;
}

/** Booked money that is not in a final block up to the heights. Payments arrive at the treasury. */
async function readUnseen(heights: Heights, snapshot: Transaction): Promise<Unseen> {
  const unseen: Unseen = { credited: new Map(), uncredited: 0n };
  const add = (accountId: string, amount: bigint) => unseen.credited.set(accountId, (unseen.credited.get(accountId) ?? 0n) + amount);
  for (const { accountId, state, amount } of await listUnseenDeposits(heights, snapshot)) {
    if (state === "credited") add(accountId, amount);
    else unseen.uncredited += amount;
  }
  // A chain that was not read had no payments until now, so all of its payments are above the height.
  const treasuries = { base: heights.base ?? -1, solana: heights.solana?.treasury ?? -1 };
  for (const chain of chainIds) {
    const height = treasuries[chain];
    for (const [accountId, amount] of await listUnseenArrivals(snapshot, { funding: chainAccount(chain), height })) add(accountId, amount);
  }
  return unseen;
}

async function listUnseenDeposits({ base, solana }: Heights, snapshot: Transaction): Promise<UnseenRow[]> {
  const rows: UnseenRow[] = [];
  if (base !== null) rows.push(...(await listUnseen({ chain: "base", height: base, unread: [] }, snapshot)));
  if (solana !== null) {
    const { addresses } = solana;
    const lowest = Math.min(Number.MAX_SAFE_INTEGER, ...new Set(addresses.values()));
    const depositors = await listDepositors("solana", snapshot);
    const unread = depositors.map(({ depositAddress }) => depositAddress).filter((address) => !addresses.has(address));
    const found = await listUnseen({ chain: "solana", height: lowest, unread }, snapshot);
    rows.push(...found.filter(({ address, block, finalized }) => !finalized || block > (addresses.get(address) ?? -1)));
  }
  return rows;
}

interface UnseenRow {
  accountId: string;
  address: string;
  state: string;
  amount: bigint;
  block: number;
  finalized: boolean;
}

async function listUnseen(
  { chain, height, unread }: { chain: ChainId; height: number; unread: readonly string[] },
  snapshot: Transaction,
): Promise<UnseenRow[]> {
  const above = { finalized: true, block: { gt: Math.min(height, MAX_INTEGER) } };
  return snapshot.deposit.findMany({
    where: {
      chain,
      state: { in: ["credited", "below_minimum"] },
      OR: [{ finalized: false }, above, { address: { in: [...unread] } }],
    },
    select: { accountId: true, address: true, state: true, amount: true, block: true, finalized: true },
  });
}

/** The maximum of PostgreSQL's integer. */
const MAX_INTEGER = 2_147_483_647;

/**
 * The end of a scanned range at `height` or next above it, otherwise the last below. While that block is on the chain, so is every deposit
 * marked final up to there.
 */
async function findReadEnd(height: number | null, snapshot: Transaction): Promise<ScanEnd | null> {
  if (height === null) return null;
  const { chainScanEnd } = snapshot;
  const above = await chainScanEnd.findFirst({ where: { chain: "base", block: { gte: height } }, orderBy: { block: "asc" } });
  const end = above ?? (await chainScanEnd.findFirst({ where: { chain: "base", block: { lt: height } }, orderBy: { block: "desc" } }));
  return end && { block: end.block, hash: end.blockHash };
}
