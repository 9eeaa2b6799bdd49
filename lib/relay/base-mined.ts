// Transactions that are in a block of Base, until that block is final: when it leaves the chain they wait again, and what one
// node said is looked at a second time before it counts for good.

import type { Hex } from "viem";
import { log } from "@/lib/base/observe/log";
import { type Block, findBlockOf } from "@/lib/chains/evm/blocks";
import type { Head } from "@/lib/chains/evm/head";
import type { EvmNode } from "@/lib/chains/evm/node";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { findReceipt, type Receipt } from "@/lib/chains/evm/transactions";
import { pool } from "@/lib/db/pool";
import { lookEverywhere, onlyNode } from "./base-receipts";

interface MinedCall {
  id: string;
  state: "succeeded" | "failed";
  hash: Hex;
  block: number;
  blockHash: Hex;
}

const MAX_FINAL = 200;
const MAX_LOOKS_AT_ONCE = 8;

const mined = `SELECT id, state, hash, block, block_hash AS "blockHash" FROM relayed
  WHERE finalized = false AND chain = 'base' AND state IN ('succeeded', 'failed') AND sender = $1`;

/**
 * Finds transactions whose block has left the chain. As long as the head that was seen last is on the chain, only blocks that are
 * new since need a look: what stood below it stands still.
 * @throws EvmFailure
 */
export async function findReorganised(sender: Hex, head: Head, nodes: EvmNodes): Promise<void> {
  const { rows: seen } = await pool().query<{ block: number | null; hash: Hex | null }>(
    "SELECT seen_block AS block, seen_hash AS hash FROM relay_sender WHERE chain = 'base' AND address = $1",
    [sender],
  );
  const { block: seenBlock, hash: seenHash } = seen[0] ?? {};
  const standing = typeof seenBlock === "number" ? await nodes.ask((node) => blockAt(node, seenBlock)) : null;
  const isStanding = standing !== null && standing.hash === seenHash;
  const { rows: calls } = await pool().query<MinedCall>(isStanding ? `${mined} AND NOT checked` : mined, [sender]);
  await checkBlocks(calls, nodes);
  if (isStanding && seenHash === head.latest.hash) return;
  await pool().query("UPDATE relay_sender SET seen_block = $2, seen_hash = $3 WHERE chain = 'base' AND address = $1", [
    ...[sender, head.latest.number, head.latest.hash],
  ]);
}

/** Null when the node has no such block: it is behind, or the chain was reorganised to a shorter one. */
const blockAt = (node: EvmNode, number: number): Promise<Block | null> => findBlockOf(node, number);

async function checkBlocks(calls: readonly MinedCall[], nodes: EvmNodes): Promise<void> {
  const numbers = [...new Set(calls.map(({ block }) => block))];
  const standing = new Map<number, Hex | null>();
  for (let from = 0; from < numbers.length; from += MAX_LOOKS_AT_ONCE) {
    const some = numbers.slice(from, from + MAX_LOOKS_AT_ONCE);
    const blocks = await nodes.ask((node) => Promise.all(some.map((number) => blockAt(node, number))));
    some.forEach((number, place) => void standing.set(number, blocks[place]?.hash ?? null));
  }
  const stands = ({ block, blockHash }: MinedCall) => standing.get(block) === blockHash;
  const whole = calls.filter(stands);
  if (whole.length > 0) {
    await pool().query(
      `UPDATE relayed r SET checked = true FROM unnest($1::text[], $2::text[]) AS w(id, block_hash)
       WHERE r.id = w.id AND r.block_hash = w.block_hash`,
      [whole.map(({ id }) => id), whole.map(({ blockHash }) => blockHash)],
    );
  }
  for (const call of calls.filter((one) => !stands(one))) await followOrSendAgain(call, nodes);
}

/** It may stand in another block by now; otherwise it waits again. */
async function followOrSendAgain({ id, block, blockHash }: MinedCall, nodes: EvmNodes): Promise<void> {
  await pool().query("SELECT relay_note_unmined($1, $2, $3)", [id, block, blockHash]);
  const isElsewhere = await lookEverywhere(id, nodes);
  log().warn({ id, block, isElsewhere }, "the block of a transaction of ours left the chain");
}

/** Makes final what is in a final block, once it was seen there a second time, by another node where there is one. @throws EvmFailure */
export async function makeFinal(sender: Hex, { finalized }: Head, nodes: EvmNodes): Promise<void> {
  const { rows } = await pool().query<MinedCall>(`${mined} AND block <= $2 ORDER BY block LIMIT $3`, [sender, finalized.number, MAX_FINAL]);
  for (let from = 0; from < rows.length; from += MAX_LOOKS_AT_ONCE) {
    await Promise.all(rows.slice(from, from + MAX_LOOKS_AT_ONCE).map((call) => lookAgain(call, nodes)));
  }
}

async function lookAgain(call: MinedCall, nodes: EvmNodes): Promise<void> {
  const { first, others } = await nodes.ask(async (node) => ({
    first: await receiptOf(call, node, nodes),
    others: await nodes.askOthers(node, (other) => receiptOf(call, other, nodes)),
  }));
  const isSame = (receipt: Receipt | null) =>
    receipt !== null && receipt.blockHash === call.blockHash && (receipt.status === "succeeded") === (call.state === "succeeded");
  if (isSame(first) && (others.length === 0 || others.some(isSame))) {
    await pool().query("SELECT relay_note_final($1, $2, $3, $4)", [call.id, call.block, call.blockHash, first?.feeWei.toString()]);
  } else if (!isSame(first) && !others.some(isSame)) {
    await followOrSendAgain(call, nodes);
  } else {
    log().error({ id: call.id, block: call.block }, "the nodes of Base do not agree on a transaction of ours in a final block");
  }
}

/** The receipt, when its block is the one that the node has at that height. */
async function receiptOf({ hash, block }: MinedCall, node: EvmNode, nodes: EvmNodes): Promise<Receipt | null> {
  const [receipt, standing] = await Promise.all([findReceipt(hash, onlyNode(node, nodes)), blockAt(node, block)]);
  return receipt?.txHash === hash && receipt.blockHash === standing?.hash ? receipt : null;
}
