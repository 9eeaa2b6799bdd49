// Whether a transaction is in a block of Base, under any hash that was ever signed for it: any of them may be included.

import type { Hex } from "viem";
import { findBlockOf } from "@/lib/chains/evm/blocks";
import { EvmFailure, isEvmFailure } from "@/lib/chains/evm/failure";
import type { EvmNode } from "@/lib/chains/evm/node";
import { type EvmNodes, findAnywhere } from "@/lib/chains/evm/nodes";
import { findReceipt, type Receipt } from "@/lib/chains/evm/transactions";
import { prisma } from "@/lib/db/prisma";
import { evmOf, type RelayNodes } from "./chain";
import { recordMined } from "./relayed";

interface SignedFor {
  sender: string;
  hashes: readonly Hex[];
}

/** Every hash of a transaction, newest first. */
export async function readSignedFor(id: string): Promise<SignedFor> {
  const { sender, broadcasts } = await prisma().relayed.findUniqueOrThrow({
    where: { id },
    select: { sender: true, broadcasts: { select: { hash: true }, orderBy: { signedAt: "desc" } } },
  });
  return { sender, hashes: broadcasts.map(({ hash }) => hash as Hex) };
}

/** Nodes with this node alone. */
const onlyNode = (node: EvmNode, { chainId }: EvmNodes): EvmNodes => ({
  chainId,
  count: 1,
  quorum: 1,
  callFirst: (use) => use(node),
  callOthers: async () => [],
});

/** The receipt under this hash. One of another transaction or another sender is ignored. @throws EvmFailure */
async function findOurReceipt(hash: Hex, sender: string, nodes: EvmNodes): Promise<Receipt | null> {
  const receipt = await findReceipt(hash, nodes);
  return receipt?.txHash === hash && receipt.from === sender ? receipt : null;
}

/**
 * One node's receipt, if its block is on the chain for that node. Nodes keep a receipt for a while after its block has left the chain, so
 * the standing receipt may be under an older hash.
 */
export async function findStanding({ sender, hashes }: SignedFor, node: EvmNode, nodes: EvmNodes): Promise<Receipt | null> {
  try {
    for (const hash of hashes) {
      const receipt = await findOurReceipt(hash, sender, onlyNode(node, nodes));
      if (receipt && (await findBlockOf(node, receipt.blockNumber))?.hash === receipt.blockHash) return receipt;
    }
    return null;
  } catch (error) {
    // In a lookup there is nothing to reject: a node that does so answers for itself alone.
    if (isEvmFailure(error) && error.kind === "rejected") throw new EvmFailure("failing", error.message);
    throw error;
  }
}

/** Records the block that a receipt names. True when that is news. */
export const recordReceipt = (id: string, { txHash, status, blockNumber, blockHash, feeWei }: Receipt): Promise<boolean> =>
  recordMined(id, { hash: txHash, isSuccess: status === "succeeded", block: blockNumber, blockHash, fee: feeWei });

/** Asks one node, and records its answer. True when that is news; false also when no node answers. */
export async function lookAtBase({ id }: { id: string }, nodes: RelayNodes): Promise<boolean> {
  const { sender, hashes } = await readSignedFor(id);
  try {
    for (const hash of hashes) {
      const receipt = await findOurReceipt(hash, sender, evmOf(nodes));
      if (receipt) return await recordReceipt(id, receipt);
    }
    return false;
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    return false;
  }
}

/** Asks every node, and records the first receipt found. False when no node has one. @throws EvmFailure when none answers */
export async function lookEverywhere(id: string, nodes: EvmNodes): Promise<boolean> {
  const signed = await readSignedFor(id);
  const receipt = await findAnywhere(nodes, (node) => findStanding(signed, node, nodes));
  if (receipt === null) return false;
  await recordReceipt(id, receipt);
  return true;
}
