// The JSON-RPC methods that a page may call: what wallet libraries read before and after a transaction, and sending it. None that
// scans the chain, keeps state at a node, or exists only on a sandbox's node.

import { z } from "zod";

export const evmMethods: ReadonlySet<string> = new Set([
  "eth_blockNumber",
  "eth_call",
  "eth_chainId",
  "eth_estimateGas",
  "eth_feeHistory",
  "eth_gasPrice",
  "eth_getBalance",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getCode",
  "eth_getTransactionByHash",
  "eth_getTransactionCount",
  "eth_getTransactionReceipt",
  "eth_maxPriorityFeePerGas",
  "eth_sendRawTransaction",
  "net_version",
]);

export const solanaMethods: ReadonlySet<string> = new Set([
  "getAccountInfo",
  "getBalance",
  "getBlockHeight",
  "getEpochInfo",
  "getFeeForMessage",
  "getGenesisHash",
  "getLatestBlockhash",
  "getMinimumBalanceForRentExemption",
  "getMultipleAccounts",
  "getRecentPrioritizationFees",
  "getSignatureStatuses",
  "getSlot",
  "getTokenAccountBalance",
  "getTokenAccountsByOwner",
  "getTransaction",
  "getVersion",
  "isBlockhashValid",
  "sendTransaction",
  "simulateTransaction",
]);

const hex = z.string().regex(/^0x[0-9a-f]*$/i);
const address = z.string().regex(/^0x[0-9a-f]{40}$/i);

/** Several times what the dearest call of a wallet takes. */
const MAX_GAS = 5_000_000n;
const gas = hex.transform((text) => `0x${(text === "0x" || BigInt(text) > MAX_GAS ? MAX_GAS : BigInt(text)).toString(16)}`);

const transaction = z.object({
  to: address,
  from: address.optional(),
  data: hex.optional(),
  input: hex.optional(),
  value: hex.optional(),
  gas: gas.default(`0x${MAX_GAS.toString(16)}`),
  gasPrice: hex.optional(),
  maxFeePerGas: hex.optional(),
  maxPriorityFeePerGas: hex.optional(),
  nonce: hex.optional(),
  type: hex.optional(),
  accessList: z
    .array(z.object({ address, storageKeys: z.array(hex).max(16) }))
    .max(16)
    .optional(),
});

const blockTag = z.union([z.string().max(66), z.object({ blockNumber: hex }), z.object({ blockHash: hex })]);

/** A call at a block, and nothing more: a third parameter would replace the chain's state. */
const runParams = z.union([z.tuple([transaction]), z.tuple([transaction, blockTag])]);

/** Methods by which a node runs whatever code it is given. */
const running: ReadonlySet<string> = new Set(["eth_call", "eth_estimateGas"]);

/** Wallets look at the last ten or twenty blocks. */
const MAX_FEE_BLOCKS = 128n;
const blockCount = z.union([z.number().int().positive(), hex.refine((text) => text !== "0x").transform(BigInt)]);
const feeHistoryParams = z.tuple([blockCount.refine((count) => BigInt(count) <= MAX_FEE_BLOCKS)], z.unknown());

/**
 * The parameters that are passed on: code of a contract on the chain only, with a limit of gas, and fees of a few blocks; null for others.
 */
export function boundEvmParams(method: string, params: readonly unknown[]): readonly unknown[] | null {
  if (method === "eth_feeHistory") return feeHistoryParams.safeParse(params).success ? params : null;
  if (!running.has(method)) return params;
  const read = runParams.safeParse(params);
  return read.success ? read.data : null;
}

const MAX_LISTED = 20;

/** The parameters that are passed on: null where a list asks for more accounts or transactions at once than a page needs. */
export const boundSolanaParams = (_method: string, params: readonly unknown[]): readonly unknown[] | null =>
  params.some((param) => Array.isArray(param) && param.length > MAX_LISTED) ? null : params;
