// Calls on Base, paid by the relayer: simulated first, then signed and stored in the caller's database transaction, with consecutive
// nonces. A rollback gives its nonce back too, so there are no gaps.

import { type Hex, hexToBytes } from "viem";
import { now } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { type EvmNodes, evmNodes } from "@/lib/chains/evm/nodes";
import { estimateGas, type Fees, readFees, serializeSigned } from "@/lib/chains/evm/transactions";
import type { Transaction } from "@/lib/db/prisma";
import { faultOf, findLowestOpen } from "./base-sender";
import { type MinedNonces, readMinedNonces } from "./nonces";
import { relayer } from "./relayer";

export interface Call {
  to: Hex;
  data: Hex;
}

/** Simulated in place of a call that no node may see before it is stored: it does the same, and reveals no signature. */
export interface Rehearsal {
  from: Hex;
  data: Hex;
  /** Gas that the call itself may burn beyond the rehearsal. */
  moreGas: bigint;
}

export interface PreparedCall extends Call, Fees {
  kind: "fits";
  chainId: number;
  /** The relayer, who pays. */
  from: Hex;
  /** The gas limit. */
  gas: bigint;
  /** The relayer's nonces according to the chain. */
  mined: MinedNonces;
}

export type Preparation = PreparedCall | { kind: "reverts"; reason: string };

/** The relay is stopped: nothing is stored or sent until the fault is cured. The log says what to do. */
export class RelayStopped extends Error {
  constructor(readonly fault: string) {
    super(`The relay on Base stands still (${fault}): the log says what to do.`);
    this.name = "RelayStopped";
  }
}

/** True for a RelayStopped from any copy of this module. */
export const isRelayStopped = (error: unknown): error is RelayStopped => error instanceof Error && error.name === "RelayStopped";

/**
 * Simulates a call and finds what it may cost; it uses the network only. Do it right before `storeCall`: fees change. The nodes see the
 * call, and their operators may execute it; with a rehearsal they see that instead.
 * @throws EvmFailure when no node answers; Error in a process without a relayer
 */
export async function prepareCall({ to, data }: Call, nodes: EvmNodes = evmNodes(), rehearsal?: Rehearsal): Promise<Preparation> {
  const { address: from } = relayer();
  const { moreGas = 0n, ...shown } = rehearsal ?? { from, data };
  const [estimate, fees, mined] = await Promise.all([estimateGas({ to, ...shown }, nodes), readFees(nodes), readMinedNonces(from, nodes)]);
  if (estimate.kind === "reverts") return estimate;
  return { kind: "fits", chainId: nodes.chainId, from, to, data, gas: estimate.gas + moreGas, mined, ...fees };
}

export interface StoredCall {
  /** Hash of the bytes signed now. A stuck call is signed again and gets another hash: follow the id. */
  hash: Hex;
  nonce: number;
}

interface LockedSender {
  nextNonce: number;
  fault: string | null;
}

/** What the transaction of a call may cost at most, and the place that it takes. */
export interface CallCost extends Pick<PreparedCall, "gas" | "maxFeePerGas"> {
  nonce: number;
}

/**
 * `data` as a function is asked for in the transaction, once nothing stands against the call: it may be a signature that must not be wasted.
 * It must be quick, since every other call waits for it.
 */
export interface StorableCall extends Omit<PreparedCall, "data"> {
  data: Hex | ((cost: CallCost) => Promise<Hex>);
}

/**
 * Signs and stores a call in the caller's transaction; call `sendStored(id)` after the commit. A repeated id returns the first call. This
 * locks the relayer until the commit: make it the transaction's last step.
 * @throws RelayStopped, SignerUnavailable; what `data` throws
 */
export async function storeCall(id: string, prepared: StorableCall, transaction: Transaction): Promise<StoredCall> {
  const { to, gas, chainId, mined, maxFeePerGas, maxPriorityFeePerGas } = prepared;
  const sender = prepared.from.toLowerCase();
  const { nextNonce: nonce, fault } = await lockSender(sender, mined, transaction);
  const known = await transaction.relayed.findUnique({ where: { id }, select: { hash: true, nonce: true } });
  if (known) return { hash: known.hash as Hex, nonce: known.nonce ?? nonce };
  if (fault !== null) throw new RelayStopped(fault);
  // The chain was read earlier: every nonce that it knew of is stored by now.
  const difference = faultOf(mined, { nextNonce: nonce, lowestOpen: (await findLowestOpen(sender, transaction)) ?? nonce });
  if (difference !== null) throw new RelayStopped(difference);
  await takeNonce(sender, nonce, transaction);
  // From here on nothing refuses: unless the signer or the database is lost, anything taken for `data` is stored with it.
  const data = typeof prepared.data === "string" ? prepared.data : await prepared.data({ nonce, gas, maxFeePerGas });
  const call = { chainId, nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas };
  const { raw, hash } = serializeSigned(call, await relayer().signTransaction(call));
  const [at, receiver, input] = [now(), to.toLowerCase(), Buffer.from(hexToBytes(data))];
  await transaction.relayed.create({
    data: { id, chain: "base", sender, nonce, receiver, input, gas, state: "stored", hash, storedAt: at },
    select: { id: true },
  });
  const [maxFee, maxPriorityFee] = [`${maxFeePerGas}`, `${maxPriorityFeePerGas}`];
  await transaction.relayBroadcast.create({
    data: { hash, relayedId: id, raw: Buffer.from(hexToBytes(raw)), maxFee, maxPriorityFee, signedAt: at },
    select: { hash: true },
  });
  return { hash, nonce };
}

/**
 * Locks the sender's row, and creates it with the chain's own nonce, which no node alone may choose. No other transaction gets one of its
 * nonces until this one ends.
 * @throws RelayStopped while the nodes differ about a new sender
 */
async function lockSender(address: string, mined: MinedNonces, transaction: Transaction): Promise<LockedSender> {
  if (mined.agreed !== null) {
    await transaction.relaySender.createMany({ data: [{ chain: "base", address, nextNonce: mined.agreed }], skipDuplicates: true });
  }
  // Prisma has no row lock. This statement returns the row as its previous holder left it, and every later statement sees everything else
  // that holder committed.
  const [sender] = await transaction.$queryRaw<LockedSender[]>`
    SELECT next_nonce AS "nextNonce", fault FROM relay_sender WHERE chain = 'base' AND address = ${address} FOR UPDATE`;
  if (sender) return sender;
  log().warn({ sender: address, mined }, "the relayer's first call waits until its nodes count the same transactions: compare them");
  throw new RelayStopped("nonces_differ");
}

/** @throws Error when `nonce` is not the sender's next one */
async function takeNonce(address: string, nonce: number, transaction: Transaction): Promise<void> {
  const { count } = await transaction.relaySender.updateMany({
    where: { chain: "base", address, nextNonce: nonce },
    data: { nextNonce: nonce + 1 },
  });
  if (count !== 1) throw new Error(`The nonce ${nonce} of ${address} is not the next one.`);
}
