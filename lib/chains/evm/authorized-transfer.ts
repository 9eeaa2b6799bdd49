// Whether an EIP-3009 authorization moved what it says, and where: by whomever it was carried out. Its nonce may have been used for
// something else, or cancelled; only the transfer that USDC writes down right behind the nonce's use counts.

import { encodeEventTopics, type Hex, numberToHex, toEventSelector } from "viem";
import { z } from "zod";
import { findBlockOf } from "./blocks";
import type { EvmNode } from "./node";
import { type EvmNodes, evmNodes } from "./nodes";
import { type Authorization, usdcAbi, usdcAddress } from "./usdc";
import { address, bytes, bytes32, quantity } from "./wire";

export type NonceUse =
  /** The authorization was carried out: its whole amount went where it says. */
  | { kind: "moved"; transaction: Hex; block: number }
  /** The nonce is used up, and this authorization can never count. */
  | { kind: "spent_otherwise" };

interface Search {
  /** The last block that is looked at. */
  toBlock: number;
  /** Unix seconds: nothing older is looked for. */
  sinceS: number;
}

/** Blocks of one question: what public nodes answer. */
const SPAN = 2_000;

const logForm = z.object({ address, topics: z.array(bytes32), data: bytes, logIndex: quantity });
const useForm = logForm.extend({ transactionHash: bytes32, blockNumber: quantity });
const receiptForm = z.object({ transactionHash: bytes32, status: z.string(), blockNumber: quantity, logs: z.array(logForm) });

type UseLog = z.infer<typeof useForm>;

const used = toEventSelector("AuthorizationUsed(address,bytes32)");
const cancelled = toEventSelector("AuthorizationCanceled(address,bytes32)");

/**
 * Looks for the use of an authorization's nonce; null when there is none in those blocks.
 * @throws EvmFailure
 */
export function findNonceUse(authorization: Authorization, search: Search, nodes: EvmNodes = evmNodes()): Promise<NonceUse | null> {
  const token = usdcAddress(nodes.chainId);
  return nodes.ask(async (node) => {
    const use = await findUse(node, { token, authorization, ...search });
    if (use === null) return null;
    const { transactionHash: transaction, blockNumber: block } = use;
    return (await movesAll(node, token, authorization, use)) ? { kind: "moved", transaction, block } : { kind: "spent_otherwise" };
  });
}

async function findUse(
  node: EvmNode,
  { token, authorization, toBlock, sinceS }: Search & { token: Hex; authorization: Authorization },
): Promise<UseLog | null> {
  const { from: authorizer, nonce } = authorization;
  const [, ...named] = encodeEventTopics({ abi: usdcAbi, eventName: "AuthorizationUsed", args: { authorizer, nonce } });
  for (let last = toBlock; last >= 0; last -= SPAN) {
    const first = Math.max(0, last - SPAN + 1);
    const filter = { address: token, topics: [[used, cancelled], ...named], fromBlock: numberToHex(first), toBlock: numberToHex(last) };
    const logs = await node.call("eth_getLogs", [filter], z.array(useForm));
    const found = logs.find((log) => log.address === token && log.topics.slice(1).join() === named.join());
    if (found) return found;
    const oldest = await findBlockOf(node, first);
    if (oldest === null || oldest.timestampS < sinceS) return null;
  }
  return null;
}

/** Of that transaction's receipt: one transaction can carry several authorizations out, so the transfer must follow this very use. */
async function movesAll(node: EvmNode, token: Hex, { from, to, value }: Authorization, use: UseLog): Promise<boolean> {
  if (use.topics[0] !== used) return false;
  const receipt = await node.call("eth_getTransactionReceipt", [use.transactionHash], receiptForm.nullable());
  if (receipt?.transactionHash !== use.transactionHash || receipt.status !== "0x1" || receipt.blockNumber !== use.blockNumber) return false;
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
