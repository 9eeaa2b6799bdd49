// The chain's count of a sender's transactions, according to every node: a node that lags reports less, a node that lies reports anything.

import type { Hex } from "viem";
import type { EvmNode } from "@/lib/chains/evm/node";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { quantity } from "@/lib/chains/evm/wire";

/** The next nonce after those in blocks. */
export interface MinedNonces {
  /** The lowest and the highest that any node reports. */
  min: number;
  max: number;
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
    return { min: Math.min(mined, ...others), max: Math.max(mined, ...others), pending };
  });
}

/** The next nonce after those in final blocks: the lowest that any node reports. @throws EvmFailure */
export function readFinalNonce(address: Hex, nodes: EvmNodes): Promise<number> {
  return nodes.callFirst(async (node) => {
    const [final, others] = await Promise.all([
      count(node, address, "finalized"),
      nodes.callOthers(node, (other) => count(other, address, "finalized")),
    ]);
    return Math.min(final, ...others);
  });
}
