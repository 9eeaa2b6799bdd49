// What the database knows, all as of one moment: who paid in where, what is owed, and what a chain cannot show yet.

import { now } from "@/lib/base/clock";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { pool, type Queryable } from "@/lib/db/pool";
import { inTransaction, type Transaction } from "@/lib/db/prisma";
import { listUnseenArrivals } from "@/lib/ledger/arrivals";
import { readOwed } from "@/lib/ledger/owed";
import type { DepositChain } from "../deposits/deposit";
import type { ScanEnd } from "../deposits/scan";
import type { Depositor } from "./holding";
import { listPayouts, type Payout } from "./payouts";

/** Up to where the chains are read, as far as that is known when the books are; null where a chain is not read. */
export interface Heights {
  base: number | null;
  /** Of the treasury, and of each address by its account; who is not in it was not read. */
  solana: { treasury: number; addresses: ReadonlyMap<string, number> } | null;
}

export interface Books {
  at: Date;
  /** Customers' balances, less what came in above the heights. */
  customers: NanoUsd;
  /** Of these, of addresses that are no account's. */
  credits: NanoUsd;
  /** The same of all that is owed; of payouts, as posted. */
  owed: NanoUsd;
  granted: NanoUsd;
  depositorsOnBase: Depositor[];
  /** A block of Base up to which, or beyond which, deposits were read. */
  readToOnBase: ScanEnd | null;
  payouts: Payout[];
}

/** The ledger's account of a chain, from which deposits and payments come. */
export const chainAccount = (chain: DepositChain) => `${chain}_chain` as const;
const CHAIN_ACCOUNTS = [chainAccount("base"), chainAccount("solana")];

/** Everything in one snapshot. Read the heights before: then whatever a chain shows up to them is stored here. */
export function readBooks(heights: Heights): Promise<Books> {
  return inTransaction(async (snapshot) => {
    await snapshot.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const at = now();
    const unseen = await readUnseen(snapshot, heights);
    const owed = await readOwed(snapshot, { chainAccounts: CHAIN_ACCOUNTS, unseen: unseen.credited });
    return {
      at,
      customers: owed.customers,
      credits: owed.credits,
      owed: nanoUsd(owed.customers + owed.liabilities - unseen.uncredited),
      granted: owed.granted,
      depositorsOnBase: await listDepositors("base", snapshot),
      readToOnBase: await findReadEnd(heights.base, snapshot),
      payouts: await listPayouts(snapshot, at),
    };
  });
}

/** Everybody for whom something ever came in on a chain. At an address without any deposit lies nothing that a watcher has seen. */
export async function listDepositors(chain: DepositChain, from: Queryable = pool()): Promise<Depositor[]> {
  const address = chain === "base" ? "lower(w.base_address)" : "w.solana_token_account";
  const { rows } = await from.query<Depositor>(
    `SELECT w.account_id AS "accountId", ${address} AS address FROM custodial_wallet w
     WHERE EXISTS (SELECT FROM deposit d WHERE d.account_id = w.account_id AND d.chain = $1)`,
    [chain],
  );
  return rows;
}

/** Base's final block when it was watched last; 0 before that. */
export async function readKnownFinal(): Promise<number> {
  const { rows } = await pool().query<{ finalized: number }>("SELECT finalized FROM chain_scan WHERE chain = 'base'");
  return rows[0]?.finalized ?? 0;
}

interface Unseen {
  /** nano-USD by account. */
  credited: Map<string, bigint>;
  uncredited: bigint;
}

/** What is booked, and is not in a final block up to the height that is read. Payments come to the treasury. */
async function readUnseen(snapshot: Transaction, heights: Heights): Promise<Unseen> {
  const unseen: Unseen = { credited: new Map(), uncredited: 0n };
  const add = (accountId: string, amount: bigint) => unseen.credited.set(accountId, (unseen.credited.get(accountId) ?? 0n) + amount);
  for (const { accountId, state, amount } of await listUnseenDeposits(snapshot, heights)) {
    if (state === "credited") add(accountId, amount);
    else unseen.uncredited += amount;
  }
  // Over a chain that is not read the first payment came this moment: all of it is above.
  const treasuries = { base: heights.base ?? -1, solana: heights.solana?.treasury ?? -1 };
  for (const chain of ["base", "solana"] as const) {
    const height = treasuries[chain];
    for (const [accountId, amount] of await listUnseenArrivals(snapshot, { funding: chainAccount(chain), height })) add(accountId, amount);
  }
  return unseen;
}

async function listUnseenDeposits(snapshot: Queryable, { base, solana }: Heights): Promise<UnseenRow[]> {
  const rows: UnseenRow[] = [];
  if (base !== null) rows.push(...(await listUnseen(snapshot, { chain: "base", height: base, unread: [] })));
  if (solana !== null) {
    const { addresses } = solana;
    const least = Math.min(Number.MAX_SAFE_INTEGER, ...new Set(addresses.values()));
    const depositors = await listDepositors("solana", snapshot);
    const unread = depositors.map(({ accountId }) => accountId).filter((id) => !addresses.has(id));
    const found = await listUnseen(snapshot, { chain: "solana", height: least, unread });
    rows.push(...found.filter(({ accountId, block, finalized }) => !finalized || block > (addresses.get(accountId) ?? -1)));
  }
  return rows;
}

interface UnseenRow {
  accountId: string;
  state: "credited" | "below_minimum";
  amount: bigint;
  block: number;
  finalized: boolean;
}

async function listUnseen(
  snapshot: Queryable,
  { chain, height, unread }: { chain: DepositChain; height: number; unread: readonly string[] },
): Promise<UnseenRow[]> {
  const { rows } = await snapshot.query<UnseenRow>(
    `SELECT d.account_id AS "accountId", d.state, d.amount, d.block, d.finalized FROM deposit d
     WHERE d.chain = $1 AND d.state IN ('credited', 'below_minimum')
       AND (d.finalized = false OR (d.finalized AND d.block > $2) OR d.account_id = ANY ($3))`,
    [chain, Math.min(height, MAX_INTEGER), unread],
  );
  return rows;
}

/** PostgreSQL's own. */
const MAX_INTEGER = 2_147_483_647;

/**
 * The end of a range that was read, at `height` or the next above it, else the last below: while it is on the chain, so is every
 * deposit that was said to be final up to there.
 */
async function findReadEnd(height: number | null, snapshot: Queryable): Promise<ScanEnd | null> {
  if (height === null) return null;
  const { rows } = await snapshot.query<ScanEnd>(
    `SELECT e.block, e.block_hash AS hash FROM chain_scan_end e WHERE e.chain = 'base'
     ORDER BY e.block < $1, abs(e.block - $1) LIMIT 1`,
    [height],
  );
  return rows[0] ?? null;
}
