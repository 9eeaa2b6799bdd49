// A relayed transaction: its progress and cost, for the caller that stored it, and its changes of state, which only the relay records. A
// change is written only while the transaction is as the relay read it, and listeners on the channel `relayed` are notified in the same
// commit.

import type { ChainId } from "@/lib/base/chains";
import { now } from "@/lib/base/clock";
import { type Database, inTransaction, notify, type Prisma, prisma, type Transaction } from "@/lib/db/prisma";

/** `failed`: in a block, moved nothing, cost its fee. `lost`: it can never be in a block. Both need a new attempt with a new id. */
export type RelayState = "stored" | "sent" | "succeeded" | "failed" | "lost";

export interface Relayed {
  id: string;
  chain: ChainId;
  state: RelayState;
  /** Nothing about it changes any more. Until then a reorganisation may return it from `succeeded` or `failed` to `sent`. */
  isFinal: boolean;
  /** Its hash in the block; until it is in one, the hash of the bytes signed last. On Solana: the signature. */
  hash: string;
  /** On Solana: the slot. Null while it waits. */
  block: number | null;
  blockHash: string | null;
  /** wei or lamports; null while unknown, which on Solana is until it is final. */
  fee: bigint | null;
  /** Why no node accepts it now: `no_gas_money`, or a node's own message. The relay retries it automatically. */
  problem: string | null;
  storedAt: Date;
}

const columns = {
  id: true,
  chain: true,
  state: true,
  finalized: true,
  hash: true,
  block: true,
  blockHash: true,
  fee: true,
  problem: true,
  storedAt: true,
} satisfies Prisma.RelayedSelect;

/** The stored ones among `ids`, in no particular order. */
export async function findRelayed(ids: readonly string[], database: Database = prisma()): Promise<Relayed[]> {
  const rows = await database.relayed.findMany({ where: { id: { in: [...ids] } }, select: columns });
  return rows.map(({ chain, state, finalized, fee, ...row }) => ({
    ...row,
    chain: chain as ChainId,
    state: state as RelayState,
    isFinal: finalized,
    fee: wholeOf(fee),
  }));
}

/** @throws Error when nothing was stored under this id */
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

/** The block that a transaction is in, according to a node. Solana has no hash for it. */
interface Inclusion {
  isSuccess: boolean;
  block: number;
  blockHash: string | null;
}

/** Writes the change and notifies listeners if the transaction still matches `known`; otherwise writes nothing and returns false. */
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
 * Records that the bytes were sent to a node, which accepted them or had a problem with them. The time is recorded either way.
 * @returns whether it is news that the nodes have it, or why they do not accept it
 */
export function recordSent(id: string, hash: string, problem: string | null): Promise<boolean> {
  return inTransaction(async (transaction) => {
    const at = now();
    // This locks the row, too: the values that it returns stay true until the commit.
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
 * Records that it is in a block under one of its hashes, according to a node.
 * @param fee in wei; null while it is not known
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

/**
 * Records that its block has left the chain: it waits again, and its bytes are due to be sent at once. False when it was not in that block.
 */
export function recordUnmined(id: string, { block, blockHash }: Omit<Inclusion, "isSuccess">): Promise<boolean> {
  return inTransaction(async (transaction) => {
    const waiting = { state: "sent", block: null, blockHash: null, fee: null, checked: false, sentAt: null, takenAt: null };
    const { count } = await transaction.relayed.updateMany({ where: { id, finalized: false, block, blockHash }, data: waiting });
    if (count === 0) return false;
    // The row is locked: no other process signs higher fees meanwhile.
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

/**
 * Records that its block is final, where a second read found it with the same outcome. `fee` in wei or lamports; null keeps the known fee.
 */
export const recordFinal = (id: string, { isSuccess, block, blockHash, fee }: Inclusion & { fee: bigint | null }): Promise<boolean> =>
  change(
    id,
    { finalized: false, state: stateInBlock(isSuccess), block, blockHash },
    { finalized: true, checked: true, ...(fee === null ? {} : { fee: `${fee}` }) },
  );

/** Records that none of its bytes can ever run. False when it is not waiting. */
export const recordLost = (id: string): Promise<boolean> => change(id, { state: waits }, { state: "lost", finalized: true, problem: null });
