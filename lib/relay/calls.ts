// Calls on Base, paid for by the relayer: tried out first, then signed and stored in the transaction of whoever wants them, one
// nonce after another. A transaction that is rolled back takes its nonce back with it: there are no gaps.

import { type Hex, hexToBytes } from "viem";
import { now } from "@/lib/base/clock";
import { readNonces } from "@/lib/chains/evm/balances";
import { type EvmNodes, evmNodes } from "@/lib/chains/evm/nodes";
import { estimateGas, type Fees, readFees, serializeSigned } from "@/lib/chains/evm/transactions";
import type { Transaction } from "@/lib/db/prisma";
import { relayer } from "./relayer";

export interface Call {
  to: Hex;
  data: Hex;
}

/** Tried out in the place of a call that no node may see before it is stored: it does the same, and shows no signature. */
export interface Rehearsal {
  from: Hex;
  data: Hex;
  /** How much more gas the call itself may burn. */
  moreGas: bigint;
}

export interface PreparedCall extends Call, Fees {
  kind: "fits";
  chainId: number;
  /** The relayer, who pays. */
  from: Hex;
  /** The most units of gas that it may burn. */
  gas: bigint;
  /** The relayer's next nonce after those in blocks, as the chain says. */
  minedNonce: number;
}

export type Preparation = PreparedCall | { kind: "reverts"; reason: string };

/** How the relay stands still: nothing is stored and nothing is sent until an operator has looked. The log says what to do. */
export class RelayStopped extends Error {
  constructor(readonly fault: string) {
    super(`The relay on Base stands still (${fault}): the log says what to do.`);
    this.name = "RelayStopped";
  }
}

/** True for a RelayStopped of any copy of this module. */
export const isRelayStopped = (error: unknown): error is RelayStopped => error instanceof Error && error.name === "RelayStopped";

/**
 * Tries a call out, with the network alone, and finds what it may cost. Do it right before `storeCall`: fees change. The nodes see
 * the call, and who runs one may carry it out: with a rehearsal they see that instead.
 * @throws EvmFailure when no node answers; Error in a process without a relayer
 */
export async function prepareCall({ to, data }: Call, nodes: EvmNodes = evmNodes(), rehearsal?: Rehearsal): Promise<Preparation> {
  const { address: from } = relayer();
  const { moreGas = 0n, ...shown } = rehearsal ?? { from, data };
  const [estimate, fees, nonces] = await Promise.all([estimateGas({ to, ...shown }, nodes), readFees(nodes), readNonces(from, nodes)]);
  if (estimate.kind === "reverts") return estimate;
  return { kind: "fits", chainId: nodes.chainId, from, to, data, gas: estimate.gas + moreGas, minedNonce: nonces.mined, ...fees };
}

export interface StoredCall {
  /** Of the bytes that are signed now. When it is stuck they are replaced by others with another hash: follow the id. */
  hash: Hex;
  nonce: number;
}

interface Begun {
  nonce: number;
  /** The lowest of ours that is not final. */
  least_open: number;
  fault: string | null;
  known_hash: Hex | null;
}

/**
 * Signs and stores a call in the caller's transaction; `sendStored(id)` after the commit. The same id twice is the first call
 * again. It locks the relayer until the commit: make it the transaction's last step.
 * @throws RelayStopped
 */
export async function storeCall(id: string, prepared: PreparedCall, transaction: Transaction): Promise<StoredCall> {
  const { from, to, data, gas, chainId, minedNonce, maxFeePerGas, maxPriorityFeePerGas } = prepared;
  const { rows } = await transaction.query<Begun>("SELECT * FROM relay_begin_call($1, 'base', $2, $3)", [
    id,
    from.toLowerCase(),
    minedNonce,
  ]);
  const [begun] = rows;
  if (!begun) throw new Error(`The sender ${from} could not be opened.`);
  const { nonce, least_open: leastOpen, fault, known_hash: knownHash } = begun;
  if (knownHash !== null) return { hash: knownHash, nonce };
  if (fault !== null) throw new RelayStopped(fault);
  // The chain was asked before: it can know of no nonce that was not stored by then.
  if (minedNonce > nonce) throw new RelayStopped("nonce_ahead");
  if (minedNonce < leastOpen) throw new RelayStopped("nonce_behind");
  const call = { chainId, nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas };
  const { raw, hash } = serializeSigned(call, await relayer().signTransaction(call));
  await transaction.query("SELECT relay_store_call($1, 'base', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)", [
    ...[id, from.toLowerCase(), nonce, to.toLowerCase(), Buffer.from(hexToBytes(data)), gas],
    ...[hash, Buffer.from(hexToBytes(raw)), maxFeePerGas.toString(), maxPriorityFeePerGas.toString(), now()],
  ]);
  return { hash, nonce };
}
