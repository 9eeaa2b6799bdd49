// Balances at one block: of USDC, many accounts in one call, and of gas.

import { encodeAbiParameters, type Hex, parseAbiParameters } from "viem";
import reader from "../contracts/artifacts/balance-reader.json";
import type { EvmNode } from "./node";
import { type EvmNodes, evmNodes } from "./nodes";
import { bytes, quantity, wei } from "./wire";

// Each balance is 32 bytes of an answer that nodes take for code, which has at most 24,576.
const CHUNK_SIZE = 500;
const WORD_DIGITS = 64;

export interface BalanceQuery {
  token: Hex;
  accounts: readonly Hex[];
  /** The hash of the block at whose end they are read. A hash, since a number may be another block on the next node. */
  blockHash: Hex;
}

/**
 * Token balances in base units, in the order of `accounts`, all at one block.
 * @throws EvmFailure `behind` or `rejected` when the nodes do not have the block's state any more
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

export interface Nonces {
  /** Of the next transaction after those in blocks. */
  mined: number;
  /** Of the next after those that wait as well. A node tells only of those that it knows. */
  pending: number;
}

export const readNonces = (account: Hex, nodes: EvmNodes = evmNodes()): Promise<Nonces> =>
  nodes.callFirst(async (node) => {
    const count = (tag: string) => node.call("eth_getTransactionCount", [account, tag], quantity);
    const [mined, pending] = await Promise.all([count("latest"), count("pending")]);
    return { mined, pending };
  });

/** Whether code lives at an address, so that no key alone owns it. */
export const hasCode = async (account: Hex, nodes: EvmNodes = evmNodes()): Promise<boolean> =>
  (await nodes.callFirst((node) => node.call("eth_getCode", [account, "latest"], bytes))) !== "0x";
