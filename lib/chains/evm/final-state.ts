// What stands for good on the chain, for whoever moves money by it: as every node says that answers, so that none of them alone is
// believed, or left to be silent, while there are others.

import type { Hex } from "viem";
import { type Block, findBlockOf } from "./blocks";
import { EvmFailure } from "./failure";
import type { EvmNode } from "./node";
import { callEach, type EvmNodes, evmNodes } from "./nodes";

/** Reads something of the chain's state from one node, as of the end of a block. */
export type ReadState<T> = (node: EvmNode, at: "latest" | { blockHash: Hex }) => Promise<T>;

/**
 * As of a block that each of the nodes has as final, with the same time. Null when they do not agree, or when there are others and
 * none of them answers.
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

/** As of the latest block of each node that answers. @throws EvmFailure when none does */
export const readLatestStates = <T>(read: ReadState<T>, nodes: EvmNodes = evmNodes()): Promise<T[]> =>
  callEach(nodes, (node) => read(node, "latest"));
