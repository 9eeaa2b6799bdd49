// Transactions that are in a block of Base, until that block is final. When the block leaves the chain they wait again; before a
// transaction becomes final, a second read confirms what one node said.

import type { Hex } from "viem";
import { log } from "@/lib/base/observe/log";
import { type Block, findBlockOf } from "@/lib/chains/evm/blocks";
import type { Head } from "@/lib/chains/evm/head";
import type { EvmNode } from "@/lib/chains/evm/node";
import { type EvmNodes, enoughOf } from "@/lib/chains/evm/nodes";
import { findReceipt, type Receipt } from "@/lib/chains/evm/transactions";
import { recordDisagreement } from "@/lib/chains/quorum";
import { type Prisma, prisma } from "@/lib/db/prisma";
import { lookEverywhere, onlyNode } from "./base-receipts";
import { recordFinal, recordUnmined } from "./relayed";

interface MinedCall {
  id: string;
  state: "succeeded" | "failed";
  hash: Hex;
  block: number;
  blockHash: Hex;
}

const MAX_FINAL = 200;
const MAX_LOOKS_AT_ONCE = 8;

/** The sender's transactions in a block that is not final yet, lowest block first. */
async function listMined(sender: Hex, among: Prisma.RelayedWhereInput, limit?: number): Promise<MinedCall[]> {
  const rows = await prisma().relayed.findMany({
    where: { finalized: false, chain: "base", state: { in: ["succeeded", "failed"] }, sender, ...among },
    select: { id: true, state: true, hash: true, block: true, blockHash: true },
    orderBy: { block: "asc" },
    take: limit,
  });
  return rows as MinedCall[];
}

/**
 * Finds transactions whose block has left the chain. While the head that was seen last is still on the chain, only transactions in newer
 * blocks need a look: the blocks below that head have not changed.
 * @throws EvmFailure
 */
export async function findReorganised(sender: Hex, head: Head, nodes: EvmNodes): Promise<void> {
  const key = { chain: "base", address: sender };
  const { seenBlock, seenHash } = (await prisma().relaySender.findUnique({ where: { chain_address: key } })) ?? {};
  const standing = typeof seenBlock === "number" ? await nodes.callFirst((node) => blockAt(node, seenBlock)) : null;
  const isStanding = standing !== null && standing.hash === seenHash;
  await checkBlocks(await listMined(sender, isStanding ? { checked: false } : {}), nodes);
  if (isStanding && seenHash === head.latest.hash) return;
  await prisma().relaySender.updateMany({ where: key, data: { seenBlock: head.latest.number, seenHash: head.latest.hash } });
}

/** Null when the node has no such block: it is behind, or the chain was reorganised to a shorter one. */
const blockAt = (node: EvmNode, number: number): Promise<Block | null> => findBlockOf(node, number);

async function checkBlocks(calls: readonly MinedCall[], nodes: EvmNodes): Promise<void> {
  const numbers = [...new Set(calls.map(({ block }) => block))];
  const standing = new Map<number, Hex | null>();
  for (let from = 0; from < numbers.length; from += MAX_LOOKS_AT_ONCE) {
    const batch = numbers.slice(from, from + MAX_LOOKS_AT_ONCE);
    const blocks = await nodes.callFirst((node) => Promise.all(batch.map((number) => blockAt(node, number))));
    batch.forEach((number, index) => void standing.set(number, blocks[index]?.hash ?? null));
  }
  const stands = ({ block, blockHash }: MinedCall) => standing.get(block) === blockHash;
  const whole = calls.filter(stands);
  if (whole.length > 0) {
    const hashes = [...new Set(whole.map(({ blockHash }) => blockHash))];
    // A transaction that moved to another block meanwhile is marked only if its new block is one of these.
    await prisma().relayed.updateMany({
      where: { id: { in: whole.map(({ id }) => id) }, blockHash: { in: hashes } },
      data: { checked: true },
    });
  }
  for (const call of calls.filter((one) => !stands(one))) await followOrSendAgain(call, nodes);
}

/** It may be in another block by now; otherwise it waits again. */
async function followOrSendAgain({ id, block, blockHash }: MinedCall, nodes: EvmNodes): Promise<void> {
  await recordUnmined(id, { block, blockHash });
  const isElsewhere = await lookEverywhere(id, nodes);
  log().warn({ id, block, isElsewhere }, "the block of one of our transactions left the chain");
}

/** Finalizes the transactions in a final block that a second read confirms, from another node where there is one. @throws EvmFailure */
export async function finalize(sender: Hex, { finalized }: Head, nodes: EvmNodes): Promise<void> {
  const calls = await listMined(sender, { block: { lte: finalized.number } }, MAX_FINAL);
  for (let from = 0; from < calls.length; from += MAX_LOOKS_AT_ONCE) {
    await Promise.all(calls.slice(from, from + MAX_LOOKS_AT_ONCE).map((call) => lookAgain(call, nodes)));
  }
}

async function lookAgain(call: MinedCall, nodes: EvmNodes): Promise<void> {
  const { first, others } = await nodes.callFirst(async (node) => ({
    first: await receiptOf(call, node, nodes),
    others: await nodes.callOthers(node, (other) => receiptOf(call, other, nodes)),
  }));
  const isSuccess = call.state === "succeeded";
  const isSame = (receipt: Receipt | null) =>
    receipt !== null && receipt.blockHash === call.blockHash && (receipt.status === "succeeded") === isSuccess;
  const same = [first, ...others].filter(isSame);
  if (same.length >= enoughOf(nodes, 1 + others.length)) {
    await recordFinal(call.id, { isSuccess, block: call.block, blockHash: call.blockHash, fee: same[0]?.feeWei ?? null });
  } else if (same.length === 0) {
    await followOrSendAgain(call, nodes);
  } else if (same.length <= others.length) {
    recordDisagreement("base", { what: "one of our transactions in a final block", id: call.id, block: call.block });
  }
}

/** The receipt, if its block is the one that the node has at that height. */
async function receiptOf({ hash, block }: MinedCall, node: EvmNode, nodes: EvmNodes): Promise<Receipt | null> {
  const [receipt, standing] = await Promise.all([findReceipt(hash, onlyNode(node, nodes)), blockAt(node, block)]);
  return receipt?.txHash === hash && receipt.blockHash === standing?.hash ? receipt : null;
}
