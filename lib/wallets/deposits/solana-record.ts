// What readings of Solana found, written down: cursors, deposits and the ledger in one transaction, under the lease. What is
// credited was final by then, and is never taken back.

import { now } from "@/lib/base/clock";
import { readStandings, type SolanaHead } from "@/lib/chains/solana/finality";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { pool } from "@/lib/db/pool";
import { MINIMUM_DEPOSIT } from "./deposit";
import { type Lease, LeaseLost, underLease } from "./lease";
import { rowsOf } from "./scan";
import type { OpenDeposit, ReadPoint } from "./solana-cursor";
import type { Reading } from "./solana-reading";

/** Where an account's cursors go by a reading of it. */
export interface Step {
  reading: Reading;
  read: ReadPoint;
  checked: ReadPoint;
  checkAt: Date;
}

/**
 * Writes steps down and credits what they found.
 * @returns how many deposits were credited, or kept as too small
 * @throws LeaseLost; nothing is written then
 */
export function recordSteps(lease: Lease, steps: readonly Step[]): Promise<number> {
  const found = steps.flatMap(({ reading }) => reading.found);
  const seen = steps.flatMap(({ reading }) => reading.seen);
  return underLease(lease, async (transaction) => {
    const { rows } = await transaction.query<{ credited: number | null }>("SELECT wallets_record_solana($1, $2, $3, $4) AS credited", [
      JSON.stringify(steps.map(rowOf)),
      rowsOf(found),
      MINIMUM_DEPOSIT,
      now(),
    ]);
    const credited = rows[0]?.credited ?? null;
    if (credited === null) throw new LeaseLost(lease);
    if (seen.length > 0) await transaction.query("SELECT wallets_see_on_solana($1, $2)", [rowsOf(seen), now()]);
    return credited;
  });
}

function rowOf({ reading, read, checked, checkAt }: Step) {
  return {
    tokenAccount: reading.address.tokenAccount,
    address: reading.address.owner,
    afterSignature: reading.address.read.signature,
    signature: read.signature,
    slot: read.slot,
    units: read.units.toString(),
    checkedSignature: checked.signature,
    checkedSlot: checked.slot,
    checkedUnits: checked.units.toString(),
    checkAt,
    passed: reading.passed,
  };
}

/**
 * Those readings whose deposits a second node knows to be final too, where there is a second one: no node alone makes money.
 * @throws SolanaUnavailable
 */
export async function agreedOf(readings: readonly Reading[], nodes: SolanaNodes): Promise<Reading[]> {
  const signatures = [...new Set(readings.flatMap(({ found }) => found.map(({ transaction }) => transaction)))];
  if (signatures.length === 0) return [...readings];
  const standings = await readStandings(nodes, signatures);
  const isAgreed = (signature: string) => {
    const { final, answers } = standings.get(signature) ?? { final: 0, answers: 1 };
    return final >= Math.min(2, answers);
  };
  return readings.filter(({ found }) => found.every(({ transaction }) => isAgreed(transaction)));
}

/** Those of `ids` that no ledger transfer was made for yet. */
export async function findUnbooked(ids: readonly string[]): Promise<string[]> {
  const { rows } = await pool().query<{ id: string }>(
    `SELECT f.id FROM unnest($1::text[]) AS f(id)
     WHERE NOT EXISTS (SELECT 1 FROM deposit d WHERE d.id = f.id AND d.state IN ('credited', 'below_minimum'))`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** A transaction that was left out of a fork can come again in the next 150 blocks; twice that, since slots may have none. */
const SLOTS_UNTIL_LOST = 300;

/**
 * Of deposits that were seen and should long be final: those that no node knows, or all as failed.
 * @throws SolanaUnavailable
 */
export async function findLost(open: readonly OpenDeposit[], { finalized }: SolanaHead, nodes: SolanaNodes): Promise<string[]> {
  const overdue = open.filter(({ block }) => block + SLOTS_UNTIL_LOST <= finalized);
  if (overdue.length === 0) return [];
  const signatures = [...new Set(overdue.map(({ transaction }) => transaction))];
  const standings = await readStandings(nodes, signatures);
  return overdue
    .filter(({ transaction }) => {
      const standing = standings.get(transaction);
      return standing !== undefined && standing.gone === standing.answers;
    })
    .map(({ id }) => id);
}

export interface RoundEnd {
  head: SolanaHead;
  /** Up to where all accounts were read; 0 when not all were. */
  readSlot: number;
  lost: readonly string[];
}

/** Ends a round: the head is written down, and what is lost given up. Resolves with the number of deposits given up. */
export function endRound(lease: Lease, { head, readSlot, lost }: RoundEnd): Promise<number> {
  return underLease(lease, async (transaction) => {
    const { rows } = await transaction.query<{ reversed: number }>("SELECT wallets_end_solana_round($1, $2, $3, $4, $5) AS reversed", [
      head.latest,
      head.finalized,
      readSlot,
      lost,
      now(),
    ]);
    return rows[0]?.reversed ?? 0;
  });
}

/** How many slots behind `finalized` the last round ended that read all accounts. */
export async function readLag(finalized: number): Promise<number> {
  const { rows } = await pool().query<{ block: number }>("SELECT block FROM chain_scan WHERE chain = 'solana'");
  return Math.max(0, finalized - (rows[0]?.block ?? finalized));
}
