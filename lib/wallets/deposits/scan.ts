// How far a chain is read. The cursor moves in the same transaction as what was found before it, and the last block of each
// range is kept, so that a reorganisation is found and walked back.

import { now } from "@/lib/base/clock";
import { pool } from "@/lib/db/pool";
import { openFundingAccount, openLiabilityAccount, openLossAccount } from "@/lib/ledger/accounts";
import { type Lease, underLease } from "./lease";

/** A block up to which the chain was read. */
export interface ScanEnd {
  block: number;
  hash: string;
}

/** A transfer to one of our addresses, as it is stored. */
export interface FoundDeposit {
  id: string;
  accountId: string;
  address: string;
  /** nano-USD. */
  amount: bigint;
  block: number;
  blockHash: string;
  transaction: string;
  place: number;
}

/** The kept ends, newest first: the first is the cursor. None before the first range. */
export async function readScanEnds(chain: string): Promise<ScanEnd[]> {
  const { rows } = await pool().query<ScanEnd>(
    "SELECT block, block_hash AS hash FROM chain_scan_end WHERE chain = $1 ORDER BY block DESC",
    [chain],
  );
  return rows;
}

/** Whether the chain's watch was begun. */
export async function isScanOpen(chain: string): Promise<boolean> {
  const { rowCount } = await pool().query("SELECT 1 FROM chain_scan WHERE chain = $1", [chain]);
  return rowCount === 1;
}

/** Begins behind `end`, with the accounts of the books that deposits need; changes nothing when it was begun before. */
export function openScan(lease: Lease, end: ScanEnd): Promise<void> {
  return underLease(lease, async (transaction) => {
    await openFundingAccount(`${lease.chain}_chain`, transaction);
    await openLiabilityAccount("uncredited_deposits", transaction);
    await openLossAccount("deposit_losses", transaction);
    const { rowCount } = await transaction.query(
      `INSERT INTO chain_scan (chain, block, block_hash, latest, safe, finalized, checked_block, foreign_block)
       VALUES ($1, $2, $3, $2, $2, $2, $2, $2)
       ON CONFLICT (chain) DO NOTHING`,
      [lease.chain, end.block, end.hash],
    );
    if (rowCount === 0) return;
    await transaction.query("INSERT INTO chain_scan_end (chain, block, block_hash) VALUES ($1, $2, $3)", [
      lease.chain,
      end.block,
      end.hash,
    ]);
  });
}

/** As the SQL functions of deposits take them. */
export const rowsOf = (found: readonly FoundDeposit[]) =>
  JSON.stringify(found.map((deposit) => ({ ...deposit, amount: deposit.amount.toString() })));

/** Writes what was found behind `after` up to `end`. False, and nothing is written, when the cursor is not at `after`. */
export function recordRange(lease: Lease, after: ScanEnd, end: ScanEnd, found: readonly FoundDeposit[]): Promise<boolean> {
  return underLease(lease, async (transaction) => {
    const answer = await transaction.query<{ recorded: boolean }>("SELECT wallets_record_range($1, $2, $3, $4, $5, $6, $7) AS recorded", [
      lease.chain,
      after.block,
      after.hash,
      end.block,
      end.hash,
      rowsOf(found),
      now(),
    ]);
    return answer.rows[0]?.recorded === true;
  });
}

/** Writes what a second reading found up to `toBlock`; what the first one found is there and stays. */
export function recordSecondReading(lease: Lease, toBlock: number, found: readonly FoundDeposit[]): Promise<void> {
  return underLease(lease, async (transaction) => {
    await transaction.query("SELECT wallets_record_second_reading($1, $2, $3, $4)", [lease.chain, toBlock, rowsOf(found), now()]);
  });
}

/** Goes back to a kept end; what was found behind it is missing until it is found again. */
export function walkBack(lease: Lease, to: ScanEnd): Promise<void> {
  return underLease(lease, async (transaction) => {
    await transaction.query("SELECT wallets_walk_back($1, $2, $3)", [lease.chain, to.block, now()]);
  });
}
