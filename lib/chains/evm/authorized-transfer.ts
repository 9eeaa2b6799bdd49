// Whether an EIP-3009 authorization moved its amount to its receiver, no matter who submitted it. Its nonce may have been used for
// something else or cancelled, so only the Transfer event directly after the nonce's AuthorizationUsed event counts.

import { encodeEventTopics, type Hex, numberToHex, toEventSelector } from "viem";
import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { type Block, findBlockOf, findFirstSince } from "./blocks";
import { EvmFailure, isEvmFailure } from "./failure";
import type { EvmNode } from "./node";
import { areAlike, callEach, type EvmNodes, evmNodes, findAnywhere } from "./nodes";
import { usedState } from "./token-state";
import { type Authorization, usdcAbi, usdcAddress } from "./usdc";
import { address, bytes, bytes32, height, quantity } from "./wire";

export type NonceUse =
  /** The authorization was carried out: its whole amount reached its receiver. */
  | { kind: "moved"; transaction: Hex; block: number }
  /** The nonce is spent, so this authorization can never be carried out. */
  | { kind: "spent_otherwise" };

interface Search {
  /** When the client presented the authorization. */
  shownAtMs: number;
  /** The last block to search. */
  toBlock: number;
}

interface Wanted extends Search {
  authorization: Authorization;
  chainId: number;
}

/** An authorization may be carried out before we see it, but by no more than its maximum validity: nothing older is searched. */
const MAX_SECONDS_BEFORE = 3_600;

/** Blocks per request: the range that public nodes accept. */
const SPAN = 2_000;

const logForm = z.object({ address, topics: z.array(bytes32), data: bytes, logIndex: quantity });
const useForm = logForm.extend({ transactionHash: bytes32, blockNumber: height });
const receiptForm = z.object({
  transactionHash: bytes32,
  status: z.string(),
  blockNumber: height,
  blockHash: bytes32,
  logs: z.array(logForm),
});
type WireReceipt = z.infer<typeof receiptForm>;

type UseLog = z.infer<typeof useForm>;

const used = toEventSelector("AuthorizationUsed(address,bytes32)");
const cancelled = toEventSelector("AuthorizationCanceled(address,bytes32)");

/**
 * Finds the use of an authorization's nonce, from every node until one shows it. Null when none does; that proves nothing, since a node
 * without logs answers the same.
 * @throws EvmFailure
 */
export function findUseOfShown(authorization: Authorization, search: Search, nodes: EvmNodes = evmNodes()): Promise<NonceUse | null> {
  const wanted = { authorization, chainId: nodes.chainId, ...search };
  return findAnywhere(nodes, (node) => lookAt(node, wanted));
}

/**
 * Whether the nonce was used for something else, with enough evidence to take money back: every node that shows a use agrees, and at least
 * two nodes show one (or the only node).
 * @throws EvmFailure when no node answers
 */
export async function isSpentOtherwise(authorization: Authorization, search: Search, nodes: EvmNodes = evmNodes()): Promise<boolean> {
  const wanted = { authorization, chainId: nodes.chainId, ...search };
  const uses = (await callEach(nodes, (node) => lookAt(node, wanted))).filter((use) => use !== null);
  return uses.length >= Math.min(2, nodes.count) && uses.every(({ kind }) => kind === "spent_otherwise");
}

/**
 * Whether as many nodes as must agree show, in the same block, that this transaction carried the authorization out.
 * @throws EvmFailure when no node answers
 */
export const isMoveShown = (
  authorization: Authorization,
  { transaction, block }: { transaction: Hex; block: number },
  nodes: EvmNodes = evmNodes(),
): Promise<boolean> =>
  areAlike(nodes, { what: "an authorized transfer", transaction, block }, async (node) => {
    const receipt = await findReceipt(node, transaction);
    if (receipt?.status !== "0x1" || receipt.blockNumber !== block) return null;
    const [, ...named] = encodeUse(authorization);
    const uses = receipt.logs.filter(({ topics }) => topics[0] === used && topics.slice(1).join() === named.join());
    return uses.some((use) => isFollowedByTransfer(receipt, use, { chainId: nodes.chainId, authorization })) ? receipt.blockHash : null;
  });

async function lookAt(node: EvmNode, wanted: Wanted): Promise<NonceUse | null> {
  const use = await findUse(node, wanted);
  if (use === null) return null;
  if (use === "before") return { kind: "spent_otherwise" };
  const { transactionHash: transaction, blockNumber: block } = use;
  return (await movesAll(node, wanted, use)) ? { kind: "moved", transaction, block } : { kind: "spent_otherwise" };
}

async function findUse(node: EvmNode, { chainId, authorization, toBlock, shownAtMs }: Wanted): Promise<UseLog | "before" | null> {
  const token = usdcAddress(chainId);
  const sinceS = Math.floor(shownAtMs / 1_000) - MAX_SECONDS_BEFORE;
  const [, ...named] = encodeUse(authorization);
  // A nonce is used before `validBefore` or never, so an expired authorization is searched no later than that.
  const isOver = BigInt(nowMs()) >= authorization.validBefore * 1_000n;
  const end = isOver ? await findFirstSince(node, Number(authorization.validBefore), toBlock) : toBlock;
  for (let last = end; last >= 0; last -= SPAN) {
    const first = Math.max(0, last - SPAN + 1);
    const filter = { address: token, topics: [[used, cancelled], ...named], fromBlock: numberToHex(first), toBlock: numberToHex(last) };
    const logs = await node.call("eth_getLogs", [filter], z.array(useForm));
    const found = logs.find((log) => log.address === token && log.topics.slice(1).join() === named.join());
    if (found) return found;
    const oldest = await findBlockOf(node, first);
    if (oldest === null) return null;
    if (oldest.timestampS < sinceS) return (await isUsedBy(node, oldest, { chainId, authorization })) ? "before" : null;
  }
  return null;
}

/**
 * Whether the nonce was used before the searched range. Without this check, an attacker could present an old authorization that is searched
 * forever.
 */
async function isUsedBy(
  node: EvmNode,
  { hash: blockHash }: Block,
  { chainId, authorization }: Omit<Wanted, keyof Search>,
): Promise<boolean> {
  try {
    return await usedState(authorization.from, authorization.nonce, chainId)(node, { blockHash });
  } catch (error) {
    // Most nodes keep state for the last blocks only.
    if (isEvmFailure(error)) return false;
    throw error;
  }
}

const encodeUse = ({ from: authorizer, nonce }: Authorization) =>
  encodeEventTopics({ abi: usdcAbi, eventName: "AuthorizationUsed", args: { authorizer, nonce } });

async function findReceipt(node: EvmNode, transaction: Hex): Promise<WireReceipt | null> {
  const receipt = await node.call("eth_getTransactionReceipt", [transaction], receiptForm.nullable());
  return receipt?.transactionHash === transaction ? receipt : null;
}

async function movesAll(node: EvmNode, wanted: Wanted, use: UseLog): Promise<boolean> {
  if (use.topics[0] !== used) return false;
  const receipt = await findReceipt(node, use.transactionHash);
  // The node's logs and receipts disagree, and nothing shows which of them lags.
  if (receipt?.status !== "0x1" || receipt.blockNumber !== use.blockNumber) {
    throw new EvmFailure("behind", `${node.name}: lacks the receipt of a transaction that it has logs of`);
  }
  return isFollowedByTransfer(receipt, use, wanted);
}

/** One transaction can carry out several authorizations, so the Transfer must directly follow this use. */
function isFollowedByTransfer(
  receipt: WireReceipt,
  use: Pick<UseLog, "topics" | "logIndex">,
  { chainId, authorization: { from, to, value } }: Omit<Wanted, keyof Search>,
): boolean {
  const token = usdcAddress(chainId);
  const at = (index: number) => receipt.logs.find((log) => log.logIndex === index && log.address === token);
  const transfer = at(use.logIndex + 1);
  const topics = encodeEventTopics({ abi: usdcAbi, eventName: "Transfer", args: { from, to } });
  return (
    at(use.logIndex)?.topics.join() === use.topics.join() &&
    transfer !== undefined &&
    transfer.topics.join() === topics.join() &&
    transfer.data !== "0x" &&
    BigInt(transfer.data) === value
  );
}
