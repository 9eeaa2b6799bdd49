// EIP-1559 transactions: created here, signed by the key's holder, stored by the caller as raw bytes, and only then broadcast, so that
// after a crash the same bytes are sent again.

import { decodeErrorResult, type Hex, keccak256, parseAbi, type Signature, serializeTransaction, toHex } from "viem";
import { z } from "zod";
import { EvmFailure, isEvmFailure, isFollowedBy } from "./failure";
import type { EvmNode } from "./node";
import { type EvmNodes, evmNodes } from "./nodes";
import { address, bytes32, height, wei } from "./wire";

/** Wei per unit of gas. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

export interface Transaction extends Fees {
  chainId: number;
  nonce: number;
  to: Hex;
  data: Hex;
  /** The gas limit. */
  gas: bigint;
  /** Wei; none by default. */
  value?: bigint;
}

const typed = (transaction: Transaction) => ({ ...transaction, type: "eip1559" }) as const;

/** The 32 bytes that the sender's key signs. */
export const transactionSigningHash = (transaction: Transaction): Hex => keccak256(serializeTransaction(typed(transaction)));

/** The bytes to store and broadcast, and their transaction hash. */
export function serializeSigned(transaction: Transaction, signature: Signature): { raw: Hex; hash: Hex } {
  const raw = serializeTransaction(typed(transaction), signature);
  return { raw, hash: keccak256(raw) };
}

const feeBlock = z.object({ baseFeePerGas: wei });

/**
 * 10 gwei in wei, a hundred times the tip on Base on a bad day. A tip is paid in full, so without a cap a node could drain the gas money.
 */
const MAX_TIP = 10_000_000_000n;

/** Fees that remain sufficient if the base fee doubles. */
export const readFees = (nodes: EvmNodes = evmNodes()): Promise<Fees> =>
  nodes.callFirst(async (node) => {
    const [block, tip] = await Promise.all([
      node.call("eth_getBlockByNumber", ["latest", false], feeBlock),
      node.call("eth_maxPriorityFeePerGas", [], wei),
    ]);
    const maxPriorityFeePerGas = tip < MAX_TIP ? tip : MAX_TIP;
    return { maxFeePerGas: 2n * block.baseFeePerGas + maxPriorityFeePerGas, maxPriorityFeePerGas };
  });

/**
 * The same transaction with fees that nodes accept as a replacement: each an eighth higher, as mempools require, or `now` when that is
 * more.
 */
export function raiseFees<T extends Fees>(transaction: T, now: Fees): T {
  const raise = (before: bigint, wanted: bigint) => {
    const least = before + before / 8n + 1n;
    return wanted > least ? wanted : least;
  };
  return {
    ...transaction,
    maxFeePerGas: raise(transaction.maxFeePerGas, now.maxFeePerGas),
    maxPriorityFeePerGas: raise(transaction.maxPriorityFeePerGas, now.maxPriorityFeePerGas),
  };
}

export interface Call {
  from: Hex;
  to: Hex;
  data: Hex;
}

export type Estimate = { kind: "fits"; gas: bigint } | { kind: "reverts"; reason: string };

/** More than any of our transactions takes: a stranger's contract that burns all it is given keeps a node busy no longer. */
const MAX_ESTIMATED_GAS = toHex(20_000_000);

/** Gas used by the call now plus a fifth; or its revert reason, such as `Pausable: paused`. */
export async function estimateGas(call: Call, nodes: EvmNodes = evmNodes()): Promise<Estimate> {
  try {
    const gas = await nodes.callFirst((node) => node.call("eth_estimateGas", [{ ...call, gas: MAX_ESTIMATED_GAS }], wei));
    return { kind: "fits", gas: gas + gas / 5n };
  } catch (error) {
    if (!isEvmFailure(error) || error.kind !== "rejected") throw error;
    return { kind: "reverts", reason: revertReason(error) };
  }
}

const revertAbi = parseAbi(["error Error(string reason)"]);

/** The contract's revert message, or the node's. */
function revertReason({ message, rpcData }: EvmFailure): string {
  if (!rpcData?.startsWith("0x08c379a0")) return message;
  try {
    return decodeErrorResult({ abi: revertAbi, data: rpcData as Hex }).args[0];
  } catch {
    return message; // starts like a reason but does not decode
  }
}

export type Broadcast =
  /** Accepted, or already known: look for its receipt. */
  | { kind: "sent" }
  /** A transaction with this nonce is in a block: this one or another. The receipt tells which. */
  | { kind: "nonce_used" }
  /** A pending transaction with this nonce pays as much: raise the fees. */
  | { kind: "underpriced" }
  /** The sender has too little gas money. */
  | { kind: "no_gas_money" }
  | { kind: "refused"; reason: string };

/**
 * Sends raw bytes to every node, since one may say that it sent them and drop them. Resolves with the first node's word and waits for no
 * other; idempotent.
 * @throws EvmFailure when no node confirmed or refused them: send them again later
 */
export async function broadcast(raw: Hex, nodes: EvmNodes = evmNodes()): Promise<Broadcast> {
  try {
    await nodes.callFirst((node) => {
      void nodes.callOthers(node, (other) => sendTo(other, raw));
      return sendTo(node, raw);
    });
    return { kind: "sent" };
  } catch (error) {
    if (!isEvmFailure(error) || error.kind !== "rejected") throw error;
    const { message } = error;
    if (/already known|already imported|known transaction|already exists/i.test(message)) return { kind: "sent" };
    if (/nonce too low/i.test(message) || isFollowedBy(message, /nonce/i, /lower|already used/i)) return { kind: "nonce_used" };
    if (/underpriced|fee too low|could not replace/i.test(message)) return { kind: "underpriced" };
    if (/insufficient funds|not enough funds/i.test(message)) return { kind: "no_gas_money" };
    return { kind: "refused", reason: message };
  }
}

async function sendTo(node: EvmNode, raw: Hex): Promise<void> {
  const hash = await node.call("eth_sendRawTransaction", [raw], bytes32);
  if (hash !== keccak256(raw)) throw new EvmFailure("malformed", `${node.name}: took another transaction than it was sent`);
}

const wireReceipt = z
  .object({
    transactionHash: bytes32,
    status: z.enum(["0x0", "0x1"]),
    blockNumber: height,
    blockHash: bytes32,
    from: address,
    gasUsed: wei,
    effectiveGasPrice: wei,
    // A rollup's fee for its data on Ethereum.
    l1Fee: wei.nullish(),
  })
  .transform(({ transactionHash, status, gasUsed, effectiveGasPrice, l1Fee, ...rest }) => ({
    ...rest,
    txHash: transactionHash,
    status: status === "0x1" ? ("succeeded" as const) : ("reverted" as const),
    feeWei: gasUsed * effectiveGasPrice + (l1Fee ?? 0n),
  }));

/** `feeWei` is the sender's total cost. A receipt is only as final as its block. */
export type Receipt = z.infer<typeof wireReceipt>;

/** The receipt of a mined transaction; null while it is pending, or when the node does not know it. */
export const findReceipt = (hash: Hex, nodes: EvmNodes = evmNodes()): Promise<Receipt | null> =>
  nodes.callFirst((node) => node.call("eth_getTransactionReceipt", [hash], wireReceipt.nullable()));

/** Whether any node knows the transaction, pending or mined. */
export const isKnown = (hash: Hex, nodes: EvmNodes = evmNodes()): Promise<boolean> =>
  nodes.callFirst(async (node) => {
    const look = async (at: EvmNode) =>
      (await at.call("eth_getTransactionByHash", [hash], z.object({ hash: bytes32 }).nullable())) !== null;
    return (await look(node)) || (await nodes.callOthers(node, look)).includes(true);
  });
