// A block with more transfers to one address than a node returns at once: anybody can make one, since a transfer of nothing costs only gas.
// It is read transaction by transaction: one transaction's logs are bounded by its gas.

import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, toHex } from "viem";
import { z } from "zod";
import { EvmFailure, isEvmFailure } from "./failure";
import type { EvmNode } from "./node";
import { type TokenTransfer, transfersOf, wireReceipt } from "./transfer-logs";
import { bytes32, height } from "./wire";

const AT_ONCE = 4;
/** A node that counts calls refuses some of thousands: a refused one is made again, after so long. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000];

const wireTransactions = z.object({ number: height, hash: bytes32, transactions: z.array(bytes32) });

/** One block, and what to find in it. */
export interface CrowdedBlockQuery {
  token: Hex;
  /** Lower case. */
  receivers: readonly Hex[];
  crowdedBlock: number;
}

/**
 * Every transfer of `token` to `receivers` in the block, ordered by log index.
 * @throws EvmFailure `behind`: the node lacks the block; `moved`: the block changed meanwhile
 */
export async function readCrowdedBlock(
  node: EvmNode,
  { token, receivers, crowdedBlock: number }: CrowdedBlockQuery,
): Promise<TokenTransfer[]> {
  const block = await node.call("eth_getBlockByNumber", [toHex(number), false], wireTransactions.nullable());
  if (block?.number !== number) throw new EvmFailure("behind", `${node.name}: has no block ${number}`);
  const wanted = new Set(receivers);
  const hashes = [...block.transactions];
  const found: TokenTransfer[] = [];
  const readNext = async () => {
    for (let hash = hashes.shift(); hash; hash = hashes.shift()) {
      const receipt = await patiently(() => node.call("eth_getTransactionReceipt", [hash], wireReceipt.nullable()));
      if (receipt?.transactionHash !== hash || receipt.blockHash !== block.hash)
        throw new EvmFailure("moved", `${node.name}: block ${number} changed while it was read`);
      found.push(...transfersOf(receipt).filter((transfer) => transfer.token === token && wanted.has(transfer.to)));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  } finally {
    hashes.length = 0; // after a failure the other readers end with the receipt that they are at
  }
  return found.sort((one, other) => one.logIndex - other.logIndex);
}

async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await call();
    } catch (error) {
      if (!isEvmFailure(error) || error.kind !== "rate_limited") throw error;
      await sleep(pauseMs);
    }
  }
  return call();
}
