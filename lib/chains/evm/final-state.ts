// Final state of the chain, for decisions that move money: all answering nodes must agree, and where several are configured a single answer
// is not enough.

import type { Hex } from "viem";
import { type Block, findBlockOf } from "./blocks";
import { EvmFailure } from "./failure";
import type { EvmNode } from "./node";
import { callEach, type EvmNodes, evmNodes } from "./nodes";

/** Reads chain state from one node, as of the end of a block. */
export type ReadState<T> = (node: EvmNode, at: "latest" | { blockHash: Hex }) => Promise<T>;

/**
 * State at a block that every answering node has as final, with the same hash and time. Null when the nodes disagree, or when only one of
 * several answers.
 * @throws EvmFailure when no node has that block as final
 */
export async function readFinalState<T extends boolean | bigint>(
  read: ReadState<T>,
  { number, hash, timestampS }: Block,
  nodes: EvmNodes = evmNodes(),
): Promise<T | null> {
  const answers = await callEach(nodes, async (node) => {
    const [finalized, block] = await Promise.all([findBlockOf(node, "finalized"), findBlockOf(node, number)]);
    if (!finalized || !block || finalized.number < number) {
      throw new EvmFailure("behind", `${node.name}: block ${number} is not final there`);
    }
    const isSame = block.hash === hash && block.timestampS === timestampS;
    return { isSame, state: await read(node, { blockHash: block.hash }) };
  });
  const [first] = answers;
  if (!first || (nodes.count > 1 && answers.length === 1)) return null;
  return answers.every(({ isSame, state }) => isSame && state === first.state) ? first.state : null;
}

/** State at the latest block of each node that answers. @throws EvmFailure when none does */
export const readLatestStates = <T>(read: ReadState<T>, nodes: EvmNodes = evmNodes()): Promise<T[]> =>
  callEach(nodes, (node) => read(node, "latest"));
