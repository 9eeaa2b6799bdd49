// Whether a transaction is in a block of Base, under any hash that was ever signed for it: any of them may be the one included.

import type { Hex } from "viem";
import { findBlockOf } from "@/lib/chains/evm/blocks";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import type { EvmNode } from "@/lib/chains/evm/node";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { findReceipt, type Receipt } from "@/lib/chains/evm/transactions";
import { prisma } from "@/lib/db/prisma";
import { evmOf, type RelayNodes } from "./chain";
import { recordMined } from "./relayed";

interface SignedFor {
  sender: string;
  hashes: readonly Hex[];
}

/** Every hash of a transaction, newest first. */
async function readSignedFor(id: string): Promise<SignedFor> {
  const { sender, broadcasts } = await prisma().relayed.findUniqueOrThrow({
    where: { id },
    select: { sender: true, broadcasts: { select: { hash: true }, orderBy: { signedAt: "desc" } } },
  });
  return { sender, hashes: broadcasts.map(({ hash }) => hash as Hex) };
}

/** Nodes with this node alone. */
export const onlyNode = (node: EvmNode, { chainId }: EvmNodes): EvmNodes => ({
  chainId,
  count: 1,
  quorum: 1,
  callFirst: (use) => use(node),
  callOthers: async () => [],
});

/** The first receipt that any of the hashes has. Receipts of another transaction or another sender are ignored. @throws EvmFailure */
async function findOurReceipt({ sender, hashes }: SignedFor, nodes: EvmNodes): Promise<Receipt | null> {
  for (const hash of hashes) {
    const receipt = await findReceipt(hash, nodes);
    if (receipt?.txHash === hash && receipt.from === sender) return receipt;
  }
  return null;
}

/**
 * Like `findOurReceipt`, across all nodes: the first receipt whose block is on the chain, according to the node that returned it. Nodes
 * keep a receipt for a while after its block has left the chain.
 * @throws EvmFailure when none answers
 */
async function findAnywhere(signed: SignedFor, nodes: EvmNodes): Promise<Receipt | null> {
  const look = async (node: EvmNode) => {
    const receipt = await findOurReceipt(signed, onlyNode(node, nodes));
    return receipt && (await findBlockOf(node, receipt.blockNumber))?.hash === receipt.blockHash ? receipt : null;
  };
  return nodes.callFirst(async (node) => {
    return (await look(node)) ?? (await nodes.callOthers(node, look)).find((receipt) => receipt !== null) ?? null;
  });
}

/** Records the block that a receipt names. True when that is news. */
const recordReceipt = (id: string, { txHash, status, blockNumber, blockHash, feeWei }: Receipt): Promise<boolean> =>
  recordMined(id, { hash: txHash, isSuccess: status === "succeeded", block: blockNumber, blockHash, fee: feeWei });

/** Asks one node, and records its answer. True when that is news; false also when no node answers. */
export async function lookAtBase({ id }: { id: string }, nodes: RelayNodes): Promise<boolean> {
  try {
    const receipt = await findOurReceipt(await readSignedFor(id), evmOf(nodes));
    return receipt !== null && (await recordReceipt(id, receipt));
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    return false;
  }
}

/** Asks every node, and records the first receipt found. False when no node has one. @throws EvmFailure when none answers */
export async function lookEverywhere(id: string, nodes: EvmNodes): Promise<boolean> {
  const receipt = await findAnywhere(await readSignedFor(id), nodes);
  if (receipt === null) return false;
  await recordReceipt(id, receipt);
  return true;
}
