// A relayed transaction: where it is on its way and what it cost, for those who stored it; and each change of its state, which only
// the relay records. A change is written only while the transaction is as the relay knew it, and its listeners on the channel
// `relayed` are notified in the same commit.

import { now } from "@/lib/base/clock";
import { type Database, inTransaction, notify, type Prisma, prisma, type Transaction } from "@/lib/db/prisma";
import type { RelayChain } from "./chain";

/** `failed`: in a block, moved nothing, cost its fee. `lost`: it can never be in a block. Both need a new attempt with a new id. */
export type RelayState = "stored" | "sent" | "succeeded" | "failed" | "lost";

export interface Relayed {
  id: string;
  chain: RelayChain;
  state: RelayState;
  /** Nothing about it changes any more. Until then a reorganisation may take it back from `succeeded` or `failed` to `sent`. */
  isFinal: boolean;
  /** Once in a block, the hash that is there; before, that of the bytes signed last. On Solana: the signature. */
  hash: string;
  /** On Solana: the slot. Null while it waits. */
  block: number | null;
  blockHash: string | null;
  /** wei or lamports, as far as known; on Solana once it is final. */
  fee: bigint | null;
  /** Why no node takes it now: `no_gas_money`, or a node's own words. It is tried again by itself. */
  problem: string | null;
  storedAt: Date;
}

const columns = {
  ...{ id: true, chain: true, state: true, finalized: true, hash: true, block: true, blockHash: true, fee: true, problem: true },
  storedAt: true,
} satisfies Prisma.RelayedSelect;

/** Those of `ids` that were stored, in no order. */
export async function findRelayed(ids: readonly string[], database: Database = prisma()): Promise<Relayed[]> {
  const rows = await database.relayed.findMany({ where: { id: { in: [...ids] } }, select: columns });
  return rows.map(({ chain, state, finalized, fee, ...row }) => ({
    ...row,
    chain: chain as RelayChain,
    state: state as RelayState,
    isFinal: finalized,
    fee: wholeOf(fee),
  }));
}

/** @throws Error when nothing was stored by this id */
export async function getRelayed(id: string): Promise<Relayed> {
  const [found] = await findRelayed([id]);
  if (!found) throw new Error(`Nothing was stored to be relayed as ${id}.`);
  return found;
}

/** A numeric without decimals, exact. */
export const wholeOf = (value: Prisma.Decimal | null): bigint | null => (value === null ? null : BigInt(value.toFixed(0)));

/** The states of a transaction that is in no block. */
export const waits = { in: ["stored", "sent"] satisfies RelayState[] };

const stateInBlock = (isSuccess: boolean): RelayState => (isSuccess ? "succeeded" : "failed");

/** A block where a transaction is, as far as a node says. Solana has no hash for it. */
interface Inclusion {
  isSuccess: boolean;
  block: number;
  blockHash: string | null;
}

/** True, and its listeners are notified, when the transaction was as `known`; otherwise nothing is written. */
function change(id: string, known: Prisma.RelayedWhereInput, data: Prisma.RelayedUpdateManyMutationInput): Promise<boolean> {
  return inTransaction(async (transaction) => {
    const { count } = await transaction.relayed.updateMany({ where: { id, ...known }, data });
    if (count === 0) return false;
    await notifyListeners(id, transaction);
    return true;
  });
}

const notifyListeners = (id: string, transaction: Transaction) => notify("relayed", id, transaction);

/**
 * A node was given the bytes: it took them, or had a problem with them. The moment counts either way.
 * @returns whether it is news that the nodes have it, or why they do not take it
 */
export function recordSent(id: string, hash: string, problem: string | null): Promise<boolean> {
  return inTransaction(async (transaction) => {
    const at = now();
    // It locks the row, too: what it returns stays true until the commit.
    const [before] = await transaction.relayed.updateManyAndReturn({
      where: { id, hash, state: waits },
      data: { sentAt: at },
      select: { state: true, problem: true, takenAt: true },
    });
    if (!before) return false;
    const isTaken = problem === null;
    const data = isTaken ? { state: "sent", problem, takenAt: before.takenAt ?? at } : { problem };
    await transaction.relayed.updateMany({ where: { id }, data });
    const isNews = before.problem !== problem || (isTaken && before.state === "stored");
    if (isNews) await notifyListeners(id, transaction);
    return isNews;
  });
}

/**
 * It is in a block under one of its hashes, as far as a node says.
 * @param fee in wei; null where it is not known yet
 * @returns whether that is news
 */
export function recordMined(
  id: string,
  { isSuccess, block, blockHash, ...mined }: Inclusion & { hash: string; fee: bigint | null },
): Promise<boolean> {
  const there = { state: stateInBlock(isSuccess), hash: mined.hash, block, blockHash };
  return change(
    id,
    { finalized: false, broadcasts: { some: { hash: mined.hash } }, NOT: there },
    { ...there, fee: mined.fee === null ? null : `${mined.fee}`, checked: false, problem: null },
  );
}

/** The block that it was in has left the chain: it waits again, and its bytes are sent at once. False when it was not in that block. */
export function recordUnmined(id: string, { block, blockHash }: Omit<Inclusion, "isSuccess">): Promise<boolean> {
  return inTransaction(async (transaction) => {
    const waiting = { state: "sent", block: null, blockHash: null, fee: null, checked: false, sentAt: null, takenAt: null };
    const { count } = await transaction.relayed.updateMany({ where: { id, finalized: false, block, blockHash }, data: waiting });
    if (count === 0) return false;
    // The row is locked: nobody signs higher fees meanwhile.
    const { hash } = await transaction.relayBroadcast.findFirstOrThrow({
      where: { relayedId: id },
      orderBy: [{ maxFee: { sort: "desc", nulls: "last" } }, { signedAt: "desc" }],
      select: { hash: true },
    });
    await transaction.relayed.updateMany({ where: { id }, data: { hash } });
    await notifyListeners(id, transaction);
    return true;
  });
}

/** Its block is final, and it was seen there a second time, with the same outcome. `fee` in wei or lamports; null keeps what is known. */
export const recordFinal = (id: string, { isSuccess, block, blockHash, fee }: Inclusion & { fee: bigint | null }): Promise<boolean> =>
  change(
    id,
    { finalized: false, state: stateInBlock(isSuccess), block, blockHash },
    { finalized: true, checked: true, ...(fee === null ? {} : { fee: `${fee}` }) },
  );

/** None of its bytes can ever run. False when it does not wait. */
export const recordLost = (id: string): Promise<boolean> => change(id, { state: waits }, { state: "lost", finalized: true, problem: null });
