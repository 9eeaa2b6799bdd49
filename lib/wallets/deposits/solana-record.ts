// What readings of Solana found, written down under the lease: deposits, their credit, and the cursors last. What is credited was
// final by then, and is never taken back.

import { now } from "@/lib/base/clock";
import { readStandings, type SolanaHead } from "@/lib/chains/solana/finality";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { prisma, type Transaction } from "@/lib/db/prisma";
import { creditDeposits, reverseMissing } from "./credit";
import { type Lease, LeaseLost, underLease } from "./lease";
import { type FoundDeposit, recordDeposits } from "./record-deposits";
import { recordHead } from "./scan";
import type { OpenDeposit, ReadPoint } from "./solana-cursor";
import type { Reading } from "./solana-reading";

const CHAIN = "solana";
/** The states of deposits that the ledger knows of. */
const BOOKED = ["credited", "below_minimum"];

/** Where an account's cursors go by a reading of it. */
export interface Step {
  reading: Reading;
  read: ReadPoint;
  checked: ReadPoint;
  checkAt: Date;
}

/**
 * Writes steps down and credits what they found, in three commits: the deposits, their credit, and the cursors behind them. A
 * process that dies in between leaves the cursors where they are: its successor reads the same again, and credits nothing twice.
 * @returns how many deposits were credited, or kept as too small
 * @throws LeaseLost, also when a cursor is not where its step begins; nothing more is written then
 */
export async function recordSteps(lease: Lease, steps: readonly Step[]): Promise<number> {
  const found = steps.flatMap(({ reading }) => reading.found);
  const ids = found.map(({ id }) => id);
  let credited = 0;
  if (found.length > 0) {
    await underLease(lease, async (transaction) => {
      await checkCursors(lease, steps, transaction);
      await correctAmounts(found, transaction);
      await recordDeposits(CHAIN, found, transaction);
    });
    credited = await creditDeposits(lease, ids);
  }
  await underLease(lease, async (transaction) => {
    await moveCursors(lease, steps, transaction);
    await markVanished(steps, ids, transaction);
    await recordSeen(
      steps.flatMap(({ reading }) => reading.seen),
      transaction,
    );
  });
  return credited;
}

const accountsOf = (steps: readonly Step[]) => steps.map(({ reading }) => reading.address.tokenAccount);

/** @throws LeaseLost when one is not where its step begins: another round of the same holder was there */
async function checkCursors(lease: Lease, steps: readonly Step[], transaction: Transaction): Promise<void> {
  const cursors = await transaction.solanaCursor.findMany({
    where: { tokenAccount: { in: accountsOf(steps) } },
    select: { tokenAccount: true, signature: true },
  });
  const signatures = new Map(cursors.map(({ tokenAccount, signature }) => [tokenAccount, signature]));
  const isThere = ({ reading: { address } }: Step) => (signatures.get(address.tokenAccount) ?? null) === address.read.signature;
  if (!steps.every(isThere)) throw new LeaseLost(lease);
}

/** Puts new rows in place of the old ones, in two statements for all: nobody else reads or writes them under the lease. */
async function moveCursors(lease: Lease, steps: readonly Step[], transaction: Transaction): Promise<void> {
  await checkCursors(lease, steps, transaction);
  await transaction.solanaCursor.deleteMany({ where: { tokenAccount: { in: accountsOf(steps) } } });
  await transaction.solanaCursor.createMany({
    data: steps.map(({ reading, read, checked, checkAt }) => ({
      tokenAccount: reading.address.tokenAccount,
      ...read,
      checkedSignature: checked.signature,
      checkedSlot: checked.slot,
      checkedUnits: checked.units,
      checkAt,
    })),
  });
}

/** A transaction that was seen before it was final may have run otherwise, as an exchange does. */
async function correctAmounts(found: readonly FoundDeposit[], transaction: Transaction): Promise<void> {
  const amounts = new Map(found.map(({ id, amount }) => [id, amount]));
  const unbooked = { id: { in: [...amounts.keys()] }, state: { notIn: BOOKED } };
  for (const { id, amount } of await transaction.deposit.findMany({ where: unbooked, select: { id: true, amount: true } })) {
    if (amounts.get(id) !== amount) await transaction.deposit.update({ where: { id }, data: { amount: amounts.get(id) } });
  }
}

/** Marks deposits as missing that were seen before they were final, and whose transaction then brought nothing. */
async function markVanished(steps: readonly Step[], found: readonly string[], transaction: Transaction): Promise<void> {
  const passed = new Map(steps.map(({ reading }) => [reading.address.owner, new Set(reading.passed)]));
  const open = await transaction.deposit.findMany({
    where: { chain: CHAIN, finalized: false, missingSince: null, address: { in: [...passed.keys()] } },
    select: { id: true, address: true, transaction: true },
  });
  const ids = new Set(found);
  const vanished = open.filter((deposit) => passed.get(deposit.address)?.has(deposit.transaction) && !ids.has(deposit.id));
  if (vanished.length === 0) return;
  await transaction.deposit.updateMany({ where: { id: { in: vanished.map(({ id }) => id) } }, data: { missingSince: now() } });
}

/**
 * Writes down what is confirmed and not final yet, to be shown. A booked deposit stays as it is; one that was given up stays so as
 * long as it comes with the slot that it had.
 */
async function recordSeen(seen: readonly FoundDeposit[], transaction: Transaction): Promise<void> {
  if (seen.length === 0) return;
  const known = await transaction.deposit.findMany({
    where: { id: { in: seen.map(({ id }) => id) }, state: { in: [...BOOKED, "reversed"] } },
    select: { id: true, state: true, blockHash: true },
  });
  const stays = ({ id, blockHash }: FoundDeposit) =>
    known.some((deposit) => deposit.id === id && (deposit.state !== "reversed" || deposit.blockHash === blockHash));
  await recordDeposits(
    CHAIN,
    seen.filter((deposit) => !stays(deposit)),
    transaction,
  );
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
  const deposits = await prisma().deposit.findMany({ where: { id: { in: [...ids] }, state: { in: BOOKED } }, select: { id: true } });
  const booked = new Set(deposits.map(({ id }) => id));
  return ids.filter((id) => !booked.has(id));
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

/**
 * Ends a round: gives up what is lost, then writes the head down. A process that dies in between leaves the head to the next round.
 * @returns how many deposits were given up
 * @throws LeaseLost
 */
export async function endRound(lease: Lease, { head: { latest, finalized }, readSlot, lost }: RoundEnd): Promise<number> {
  if (lost.length > 0) {
    await underLease(lease, (transaction) =>
      transaction.deposit.updateMany({
        where: { id: { in: [...lost] }, state: { in: ["seen", "confirming"] }, missingSince: null },
        data: { missingSince: now() },
      }),
    );
  }
  // Only deposits that were never booked are missing here: what is final stays.
  const reversed = await reverseMissing(lease, finalized);
  await underLease(lease, async (transaction) => {
    await transaction.chainScan.updateMany({
      where: { chain: CHAIN, block: { lt: readSlot } },
      data: { block: readSlot, blockHash: `${readSlot}` },
    });
    await recordHead(CHAIN, { latest, safe: finalized, finalized }, finalized, transaction);
  });
  return reversed.length;
}

/** How many slots behind `finalized` the last round ended that read all accounts. */
export async function readLag(finalized: number): Promise<number> {
  const scan = await prisma().chainScan.findUnique({ where: { chain: CHAIN }, select: { block: true } });
  return Math.max(0, finalized - (scan?.block ?? finalized));
}
