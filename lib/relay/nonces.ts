// The chain's count of a sender's transactions, asked of every node: one that lags tells less, one that lies tells anything.

import type { Hex } from "viem";
import type { EvmNode } from "@/lib/chains/evm/node";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { quantity } from "@/lib/chains/evm/wire";

/** The next nonce after those in blocks. */
export interface MinedNonces {
  /** Of the node that tells least, and of the one that tells most. */
  least: number;
  most: number;
  /** The next after those that wait at the first node as well. */
  pending: number;
}

const count = (node: EvmNode, address: Hex, tag: "latest" | "pending" | "finalized") =>
  node.call("eth_getTransactionCount", [address, tag], quantity);

/** @throws EvmFailure when no node answers */
export function readMinedNonces(address: Hex, nodes: EvmNodes): Promise<MinedNonces> {
  return nodes.ask(async (node) => {
    const [pending, mined, others] = await Promise.all([
      count(node, address, "pending"),
      count(node, address, "latest"),
      nodes.askOthers(node, (other) => count(other, address, "latest")),
    ]);
    return { least: Math.min(mined, ...others), most: Math.max(mined, ...others), pending };
  });
}

/** The next nonce after those in final blocks, as the node that tells least says. @throws EvmFailure */
export function readFinalNonce(address: Hex, nodes: EvmNodes): Promise<number> {
  return nodes.ask(async (node) => {
    const [final, others] = await Promise.all([
      count(node, address, "finalized"),
      nodes.askOthers(node, (other) => count(other, address, "finalized")),
    ]);
    return Math.min(final, ...others);
  });
}
