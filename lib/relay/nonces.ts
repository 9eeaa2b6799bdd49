// The chain's count of a sender's transactions, according to every node: a node that lags reports less, a node that lies reports anything.

import type { Hex } from "viem";
import type { EvmNode } from "@/lib/chains/evm/node";
import { callEach, type EvmNodes } from "@/lib/chains/evm/nodes";
import { quantity } from "@/lib/chains/evm/wire";
import { enoughOf, mostAlike } from "@/lib/chains/quorum";

/** The next nonce after those in blocks. */
export interface MinedNonces {
  /** The lowest and the highest that any node reports. */
  min: number;
  max: number;
  /** The next nonce that as many nodes as must agree report; null while they differ. */
  agreed: number | null;
  /** The next nonce after those in blocks and in the first node's pool. */
  pending: number;
}

const count = (node: EvmNode, address: Hex, tag: "latest" | "pending" | "finalized") =>
  node.call("eth_getTransactionCount", [address, tag], quantity);

/** @throws EvmFailure when no node answers */
export function readMinedNonces(address: Hex, nodes: EvmNodes): Promise<MinedNonces> {
  return nodes.callFirst(async (node) => {
    const [pending, mined, others] = await Promise.all([
      count(node, address, "pending"),
      count(node, address, "latest"),
      nodes.callOthers(node, (other) => count(other, address, "latest")),
    ]);
    const all = [mined, ...others];
    const alike = mostAlike(all, Object.is);
    const agreed = alike.length >= enoughOf(nodes, all.length) ? (alike[0] ?? null) : null;
    return { min: Math.min(...all), max: Math.max(...all), agreed, pending };
  });
}

/**
 * The next nonce after those in final blocks: the lowest that any node reports. Null while a node is silent: the only other one may lie.
 * @throws EvmFailure when no node answers
 */
export async function findFinalNonce(address: Hex, nodes: EvmNodes): Promise<number | null> {
  const answers = await callEach(nodes, (node) => count(node, address, "finalized"));
  return answers.length === nodes.count ? Math.min(...answers) : null;
}
