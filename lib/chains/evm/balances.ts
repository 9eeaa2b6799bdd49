// Balances: USDC of many accounts at one block in one call, and gas money.

import { encodeAbiParameters, type Hex, parseAbiParameters } from "viem";
import reader from "../contracts/artifacts/balance-reader.json";
import type { EvmNode } from "./node";
import { type EvmNodes, evmNodes } from "./nodes";
import { bytes, wei } from "./wire";

// Each balance takes 32 bytes of the result, which nodes treat as contract code: at most 24,576 bytes.
const CHUNK_SIZE = 500;
const WORD_DIGITS = 64;

export interface BalanceQuery {
  token: Hex;
  accounts: readonly Hex[];
  /** Hash of the block whose end state is read. A hash, since the same number may be a different block on the next node. */
  blockHash: Hex;
}

/**
 * Token balances in base units, in the order of `accounts`, all at one block.
 * @throws EvmFailure `behind` or `rejected` when the nodes no longer have the block's state
 */
export async function readBalances({ token, accounts, blockHash }: BalanceQuery, nodes: EvmNodes = evmNodes()): Promise<bigint[]> {
  const balances: bigint[] = [];
  for (let from = 0; from < accounts.length; from += CHUNK_SIZE) {
    const chunk = accounts.slice(from, from + CHUNK_SIZE);
    balances.push(...(await nodes.callFirst((node) => readChunk(node, token, chunk, blockHash))));
  }
  return balances;
}

function readChunk(node: EvmNode, token: Hex, accounts: readonly Hex[], blockHash: Hex): Promise<bigint[]> {
  const input = encodeAbiParameters(parseAbiParameters("address, address[]"), [token, accounts]);
  const words = bytes
    .refine((answer) => answer.length === 2 + accounts.length * WORD_DIGITS)
    .transform((answer) => accounts.map((_, index) => BigInt(`0x${answer.slice(2 + index * WORD_DIGITS, 2 + (index + 1) * WORD_DIGITS)}`)));
  return node.call("eth_call", [{ data: `${reader.bytecode}${input.slice(2)}` }, { blockHash }], words);
}

/** Gas money in wei, as of the latest block. */
export const readGasBalance = (account: Hex, nodes: EvmNodes = evmNodes()): Promise<bigint> =>
  nodes.callFirst((node) => node.call("eth_getBalance", [account, "latest"], wei));

/** Whether the address has code, so that a key alone does not control it. */
export const hasCode = async (account: Hex, nodes: EvmNodes = evmNodes()): Promise<boolean> =>
  (await nodes.callFirst((node) => node.call("eth_getCode", [account, "latest"], bytes))) !== "0x";
