// Transactions that are in a block of Base, until that block is final. When the block leaves the chain they wait again. A final block's
// transactions are read again, from as many nodes as must agree, whatever one node said before.

import type { Hex } from "viem";
import { dateOf, HOUR_MS, nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { type Block, findBlockOf } from "@/lib/chains/evm/blocks";
import type { Head } from "@/lib/chains/evm/head";
import type { EvmNode } from "@/lib/chains/evm/node";
import { callEach, type EvmNodes } from "@/lib/chains/evm/nodes";
import type { Receipt } from "@/lib/chains/evm/transactions";
import { enoughOf, mostAlike, recordDisagreement } from "@/lib/chains/quorum";
import { type Prisma, prisma } from "@/lib/db/prisma";
import { findStanding, lookEverywhere, readSignedFor, recordReceipt } from "./base-receipts";
import { recordFinal, recordUnmined } from "./relayed";

interface MinedCall {
  id: string;
  block: number;
  blockHash: Hex;
}

const MAX_FINAL = 200;
const MAX_LOOKS_AT_ONCE = 8;
/** Blocks of Base are final long before this: an older transaction may be final, whatever block the first node names. */
const FINAL_AFTER_MS = HOUR_MS;

/** The sender's transactions in a block that is not final yet, lowest block first. */
async function listMined(sender: Hex, among: Prisma.RelayedWhereInput, limit?: number): Promise<MinedCall[]> {
  const rows = await prisma().relayed.findMany({
    where: { finalized: false, chain: "base", state: { in: ["succeeded", "failed"] }, sender, ...among },
    select: { id: true, block: true, blockHash: true },
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

/** Finalizes the transactions that are in a final block. @throws EvmFailure */
export async function finalize(sender: Hex, { finalized }: Head, nodes: EvmNodes): Promise<void> {
  const isOld = { storedAt: { lte: dateOf(nowMs() - FINAL_AFTER_MS) } };
  const calls = await listMined(sender, { OR: [{ block: { lte: finalized.number } }, isOld] }, MAX_FINAL);
  for (let from = 0; from < calls.length; from += MAX_LOOKS_AT_ONCE) {
    await Promise.all(calls.slice(from, from + MAX_LOOKS_AT_ONCE).map((call) => lookAgain(call, finalized, nodes)));
  }
}

/** Records the receipt that as many nodes as must agree show as final: it may differ from the receipt that the first node showed before. */
async function lookAgain(call: MinedCall, final: Block, nodes: EvmNodes): Promise<void> {
  const signed = await readSignedFor(call.id);
  const answers = await callEach(nodes, (node) => findStanding(signed, node, nodes));
  const shown = answers.filter((receipt) => receipt !== null).filter(({ blockNumber }) => blockNumber <= final.number);
  const isSame = (one: Receipt, other: Receipt) =>
    one.txHash === other.txHash && one.blockHash === other.blockHash && one.status === other.status;
  const alike = mostAlike(shown, isSame);
  const [one] = alike;
  const areEnough = alike.length >= enoughOf(nodes, answers.length);
  // When nodes dispute a final block, a node that shows nothing is an alarm too.
  if (one && alike.length < (areEnough ? shown : answers).length) {
    recordDisagreement("base", { what: "one of our transactions in a final block", id: call.id, block: one.blockNumber });
  }
  if (one && areEnough) {
    await recordReceipt(call.id, one);
    const { status, blockNumber: block, blockHash, feeWei: fee } = one;
    await recordFinal(call.id, { isSuccess: status === "succeeded", block, blockHash, fee });
  } else if (!one && call.block <= final.number) {
    await followOrSendAgain(call, nodes);
  }
}
