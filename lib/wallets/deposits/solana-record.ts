// Records the results of Solana readings under the lease: deposits, their credit, and the cursors last. Only final deposits are credited,
// so a credit is never reversed.

import { now } from "@/lib/base/clock";
import { enoughOf } from "@/lib/chains/quorum";
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
/** The states of deposits that are in the ledger. */
const BOOKED = ["credited", "below_minimum"];

/** An account's reading and its new cursors. */
export interface Step {
  reading: Reading;
  read: ReadPoint;
  checked: ReadPoint;
  checkAt: Date;
}

/**
 * Records steps and credits their deposits, in three commits: the deposits, their credit, and the cursors. A process that dies in between
 * leaves the cursors unmoved: its successor reads the same again, and credits nothing twice.
 * @returns how many deposits were credited, or kept as too small
 * @throws LeaseLost, also when a cursor is not at its step's start; nothing more is written then
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

/** @throws LeaseLost when a cursor is not at its step's start: another round of the same holder moved it */
async function checkCursors(lease: Lease, steps: readonly Step[], transaction: Transaction): Promise<void> {
  const cursors = await transaction.solanaCursor.findMany({
    where: { tokenAccount: { in: accountsOf(steps) } },
    select: { tokenAccount: true, signature: true },
  });
  const signatures = new Map(cursors.map(({ tokenAccount, signature }) => [tokenAccount, signature]));
  const isThere = ({ reading: { address } }: Step) => (signatures.get(address.tokenAccount) ?? null) === address.read.signature;
  if (!steps.every(isThere)) throw new LeaseLost(lease);
}

/** Replaces the cursor rows, in two statements for all: under the lease no other process reads or writes them. */
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

/** A transaction seen before it was final may have run with another result, as a swap does. */
async function correctAmounts(found: readonly FoundDeposit[], transaction: Transaction): Promise<void> {
  const amounts = new Map(found.map(({ id, amount }) => [id, amount]));
  const unbooked = { id: { in: [...amounts.keys()] }, state: { notIn: BOOKED } };
  for (const { id, amount } of await transaction.deposit.findMany({ where: unbooked, select: { id: true, amount: true } })) {
    if (amounts.get(id) !== amount) await transaction.deposit.update({ where: { id }, data: { amount: amounts.get(id) } });
  }
}

/** Marks deposits as missing that were seen before they were final and whose final transaction brought nothing. */
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
 * Records confirmed deposits that are not final, for display. A booked deposit stays unchanged; a reversed one stays reversed as long as it
 * is reported with the same slot.
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
 * The readings whose deposits a second node, where there is one, also reports as final: no single node can create money.
 * @throws SolanaUnavailable
 */
export async function agreedOf(readings: readonly Reading[], nodes: SolanaNodes): Promise<Reading[]> {
  const signatures = [...new Set(readings.flatMap(({ found }) => found.map(({ transaction }) => transaction)))];
  if (signatures.length === 0) return [...readings];
  const standings = await readStandings(nodes, signatures);
  const isAgreed = (signature: string) => {
    const { final, answers } = standings.get(signature) ?? { final: 0, answers: 1 };
    return final >= enoughOf(nodes, answers);
  };
  return readings.filter(({ found }) => found.every(({ transaction }) => isAgreed(transaction)));
}

/** Those of `ids` without a ledger transfer. */
export async function findUnbooked(ids: readonly string[]): Promise<string[]> {
  const deposits = await prisma().deposit.findMany({ where: { id: { in: [...ids] }, state: { in: BOOKED } }, select: { id: true } });
  const booked = new Set(deposits.map(({ id }) => id));
  return ids.filter((id) => !booked.has(id));
}

/** A transaction dropped by a fork can be included again within 150 blocks; twice that, since slots may have no block. */
const SLOTS_UNTIL_LOST = 300;

/**
 * Overdue seen deposits that every node reports as unknown or failed.
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
  /** The slot up to which all accounts were read; 0 when not all were. */
  readSlot: number;
  lost: readonly string[];
}

/**
 * Ends a round: reverses lost deposits, then records the head. A process that dies in between leaves the head to the next round.
 * @returns how many deposits were reversed
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
  // Only deposits that were never booked can be missing here: final ones stay.
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

/** How many slots behind `finalized` the last complete round ended. */
export async function readLag(finalized: number): Promise<number> {
  const scan = await prisma().chainScan.findUnique({ where: { chain: CHAIN }, select: { block: true } });
  return Math.max(0, finalized - (scan?.block ?? finalized));
}
