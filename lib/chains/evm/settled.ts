// The outcome of a proof at the settlement contract: why it would refuse one now, and which transaction settled one.

import { decodeErrorResult, encodeEventTopics, encodeFunctionData, type Hex, hexToBigInt, parseAbi, toHex } from "viem";
import { z } from "zod";
import { findFirstSince, getBlockOf } from "./blocks";
import { isEvmFailure } from "./failure";
import type { ReadState } from "./final-state";
import { areAlike, type EvmNodes, evmNodes, findAnywhere } from "./nodes";
import { encodeSettle, type ProofTerms, settlementAbi } from "./settlement";
import { address, bytes, bytes32, height } from "./wire";

export type SettleRefusalReason =
  | "expired"
  | "bad_signature"
  | "allowance_too_low"
  | "wallet_balance_too_low"
  | "settled_already"
  | "settlement_failed";

export interface SettleRefusal {
  reason: SettleRefusalReason;
  /** The revert message of the contract or of USDC, for logs and people. */
  message: string;
}

/** Why `settle` reverted, decoded from its revert data. */
export function readSettleRevert(data: Hex): SettleRefusal {
  try {
    const { errorName, args } = decodeErrorResult({ abi: revertAbi, data });
    if (errorName === "Error") return { reason: reasonsOfUsdc[args[0]] ?? "settlement_failed", message: args[0] };
    return { reason: reasons[errorName] ?? "settlement_failed", message: errorName };
  } catch {
    return { reason: "settlement_failed", message: "reverted for an unknown reason" };
  }
}

const revertAbi = [
  ...settlementAbi,
  ...parseAbi([
    "error Error(string reason)",
    "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
    "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  ]),
];
const reasons: Readonly<Record<string, SettleRefusalReason>> = {
  Expired: "expired",
  BadSignature: "bad_signature",
  AlreadySettled: "settled_already",
  ERC20InsufficientAllowance: "allowance_too_low",
  ERC20InsufficientBalance: "wallet_balance_too_low",
};
const reasonsOfUsdc: Readonly<Record<string, SettleRefusalReason>> = {
  "ERC20: transfer amount exceeds allowance": "allowance_too_low",
  "ERC20: transfer amount exceeds balance": "wallet_balance_too_low",
};

interface Settle {
  /** The contract. */
  address: Hex;
  relayer: Hex;
  proof: ProofTerms;
  signature: Hex;
}

/**
 * Simulates a settlement at the latest block and returns the refusal; null when it would succeed.
 * @throws EvmFailure when no node answers
 */
export async function findSettleRefusal(
  { address, relayer, proof, signature }: Settle,
  nodes: EvmNodes = evmNodes(),
): Promise<SettleRefusal | null> {
  const call = { from: relayer, to: address, data: encodeSettle(proof, signature) };
  try {
    await nodes.callFirst((node) => node.call("eth_call", [call, "latest"], bytes));
    return null;
  } catch (error) {
    if (!isEvmFailure(error) || error.kind !== "rejected") throw error;
    const { rpcData, message } = error;
    return rpcData?.startsWith("0x") ? readSettleRevert(rpcData as Hex) : { reason: "settlement_failed", message };
  }
}

/** The cents settled for this wallet's request number; 0 when nothing was. */
export function settledCentsOf(address: Hex, { from, requestNumber }: Pick<ProofTerms, "from" | "requestNumber">): ReadState<bigint> {
  const data = encodeFunctionData({ abi: settlementAbi, functionName: "settledCents", args: [from, requestNumber] });
  return (node, at) => node.call("eth_call", [{ to: address, data }, at], centsForm);
}

/** An address without a contract returns no data. */
const centsForm = z.union([z.literal("0x").transform(() => 0n), bytes32.transform((word) => BigInt(word))]);

export interface SettledTransaction {
  transaction: Hex;
  block: number;
  cents: bigint;
  timestampMs: bigint;
}

/** Maximum difference between a proof's time and its block's. */
const MAX_AGE_S = 300;
/** Blocks per request: the range that public nodes accept. */
const SPAN = 2_000;
/** On Base one request suffices: ten minutes are 300 blocks. */
const MAX_REQUESTS = 5;

/**
 * The transaction that settled this wallet's request number, whatever amount it moved, from every node until one shows it. Null when none
 * does; that proves nothing, since a node without logs answers the same.
 * @throws EvmFailure
 */
export function findSettledTransaction(address: Hex, proof: ProofTerms, nodes: EvmNodes = evmNodes()): Promise<SettledTransaction | null> {
  const { from, requestNumber } = proof;
  const topics = encodeEventTopics({ abi: settlementAbi, eventName: "Settled", args: { from, requestNumber } });
  return findAnywhere(nodes, async (node) => {
    const { number: latest } = await getBlockOf(node, "latest");
    const first = await findFirstSince(node, Number(proof.timestampMs / 1_000n) - MAX_AGE_S, latest);
    for (let requests = 0, at = first; requests < MAX_REQUESTS && at <= latest; requests++, at += SPAN) {
      const filter = { address, topics, fromBlock: toHex(at), toBlock: toHex(Math.min(latest, at + SPAN - 1)) };
      const logs = await node.call("eth_getLogs", [filter], logsForm);
      const found = logs.find((log) => log.topics.join() === topics.join());
      if (found) return found.settled;
    }
    return null;
  });
}

const receiptForm = z
  .object({
    transactionHash: bytes32,
    status: z.string(),
    blockNumber: height,
    blockHash: bytes32,
    logs: z.array(z.unknown()),
  })
  .nullable();

/**
 * Whether as many nodes as must agree show, in the same block, that this transaction settled the proof.
 * @throws EvmFailure when no node answers
 */
export function isSettlementShown(
  address: Hex,
  proof: ProofTerms,
  { transaction, block }: Pick<SettledTransaction, "transaction" | "block">,
  nodes: EvmNodes = evmNodes(),
): Promise<boolean> {
  const { from, requestNumber, cents } = proof;
  const topics = encodeEventTopics({ abi: settlementAbi, eventName: "Settled", args: { from, requestNumber } }).join();
  return areAlike(nodes, { what: "a settled proof", transaction, block }, async (node) => {
    const receipt = await node.call("eth_getTransactionReceipt", [transaction], receiptForm);
    if (receipt?.transactionHash !== transaction || receipt.status !== "0x1" || receipt.blockNumber !== block) return null;
    const logs = receipt.logs.flatMap((log) => logForm.safeParse(log).data ?? []);
    const isSettled = logs.some((log) => log.address === address && log.topics.join() === topics && log.settled.cents === cents);
    return isSettled ? receipt.blockHash : null;
  });
}

const WORD_DIGITS = 64;
const logForm = z
  .object({
    address,
    topics: z.array(bytes32),
    transactionHash: bytes32,
    blockNumber: height,
    data: bytes.refine((data) => data.length === 2 + 2 * WORD_DIGITS),
  })
  .transform(({ address, topics, transactionHash: transaction, blockNumber: block, data }) => ({
    address,
    topics,
    settled: {
      transaction,
      block,
      cents: hexToBigInt(data.slice(0, 2 + WORD_DIGITS) as Hex),
      timestampMs: BigInt(`0x${data.slice(2 + WORD_DIGITS)}`),
    } satisfies SettledTransaction,
  }));
const logsForm = z.array(logForm);
