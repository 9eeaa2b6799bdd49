// Whether a transaction is in a block of Base: under any of the hashes that were ever signed for it, since any may be the one.

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

/** The nodes with only one of them in it. */
export const onlyNode = (node: EvmNode, { chainId }: EvmNodes): EvmNodes => ({
  chainId,
  count: 1,
  callFirst: (use) => use(node),
  callOthers: async () => [],
});

/** The receipt of the hash that has one. A receipt of another transaction, or of another sender, is none. @throws EvmFailure */
async function findOurReceipt({ sender, hashes }: SignedFor, nodes: EvmNodes): Promise<Receipt | null> {
  for (const hash of hashes) {
    const receipt = await findReceipt(hash, nodes);
    if (receipt?.txHash === hash && receipt.from === sender) return receipt;
  }
  return null;
}

/**
 * As `findOurReceipt`, of all nodes: the first that knows one whose block is on the chain, as that node has it. A receipt is kept for
 * a while when its block has left the chain.
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

/** Records where a receipt says that the transaction is. True when that is news. */
const recordReceipt = (id: string, { txHash, status, blockNumber, blockHash, feeWei }: Receipt): Promise<boolean> =>
  recordMined(id, { hash: txHash, isSuccess: status === "succeeded", block: blockNumber, blockHash, fee: feeWei });

/** Asks one node, and records what it says. True when that is news; false as well when no node answers. */
export async function lookAtBase({ id }: { id: string }, nodes: RelayNodes): Promise<boolean> {
  try {
    const receipt = await findOurReceipt(await readSignedFor(id), evmOf(nodes));
    return receipt !== null && (await recordReceipt(id, receipt));
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    return false;
  }
}

/** Asks every node, and records what the first says that knows it. False when none does. @throws EvmFailure when none answers */
export async function lookEverywhere(id: string, nodes: EvmNodes): Promise<boolean> {
  const receipt = await findAnywhere(await readSignedFor(id), nodes);
  if (receipt === null) return false;
  await recordReceipt(id, receipt);
  return true;
}
