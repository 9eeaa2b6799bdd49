// Blocks and the chain's head. A block is identified by number and hash: the number alone may be a different block a second later.

import { type Hex, toHex } from "viem";
import { z } from "zod";
import { EvmFailure } from "./failure";
import type { EvmNode } from "./node";
import { type EvmNodes, evmNodes } from "./nodes";
import { bytes32, height, quantity } from "./wire";

export type BlockTag = "latest" | "safe" | "finalized";

const wireBlock = z
  .object({ number: height, hash: bytes32, parentHash: bytes32, timestamp: quantity })
  .transform(({ timestamp, ...block }) => ({ ...block, timestampS: timestamp }));

/** `timestampS`: Unix seconds. */
export type Block = z.infer<typeof wireBlock>;

/** A block by its tag or number, or hash; null when the node does not have it. */
export async function findBlockOf(node: EvmNode, which: BlockTag | number | Hex): Promise<Block | null> {
  const isHash = typeof which === "string" && which.startsWith("0x");
  const method = isHash ? "eth_getBlockByHash" : "eth_getBlockByNumber";
  const block = await node.call(method, [typeof which === "number" ? toHex(which) : which, false], wireBlock.nullable());
  const isAnother = block && ((typeof which === "number" && block.number !== which) || (isHash && block.hash !== which));
  if (isAnother) throw new EvmFailure("malformed", `${node.name}: ${method} was answered with another block`);
  return block;
}

/** @throws EvmFailure `behind` when the node does not have it */
export async function getBlockOf(node: EvmNode, which: BlockTag | number): Promise<Block> {
  const block = await findBlockOf(node, which);
  if (!block) throw new EvmFailure("behind", `${node.name}: lacks block ${which}`);
  return block;
}

const FIRST_STEP_BACK = 256;

/**
 * The number of the first block up to `last` whose timestamp is at or after `second` (timestamps never decrease); `last` when all are
 * earlier. Searches no further back than necessary, since a node may have pruned the oldest blocks.
 * @throws EvmFailure
 */
export async function findFirstSince(node: EvmNode, second: number, last: number): Promise<number> {
  const isBefore = async (number: number) => (await getBlockOf(node, number)).timestampS < second;
  let [low, high] = [last, last];
  for (let step = FIRST_STEP_BACK; low > 0 && !(await isBefore(low)); step *= 2) [low, high] = [Math.max(0, low - step), low];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @throws EvmFailure when no node has one */
export const readLatestBlock = (nodes: EvmNodes = evmNodes()): Promise<Block> => nodes.callFirst((node) => getBlockOf(node, "latest"));

/** @throws EvmFailure */
export const findBlock = (which: BlockTag | number | Hex, nodes: EvmNodes = evmNodes()): Promise<Block | null> =>
  nodes.callFirst((node) => findBlockOf(node, which));
