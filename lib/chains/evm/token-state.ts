// State of the USDC contract: whether it is paused, which addresses it blacklists, and which authorizations were used.

import { encodeFunctionData, type Hex } from "viem";
import type { Block } from "./blocks";
import { type ReadState, readFinalState, readLatestStates } from "./final-state";
import { type EvmNodes, evmNodes } from "./nodes";
import { usdcAbi, usdcAddress } from "./usdc";
import { bytes32, flag } from "./wire";

const read =
  (data: Hex, chainId: number): ReadState<boolean> =>
  (node, at) =>
    node.call("eth_call", [{ to: usdcAddress(chainId), data }, at], flag);

const ask = (data: Hex, nodes: EvmNodes): Promise<boolean> => nodes.callFirst((node) => read(data, nodes.chainId)(node, "latest"));

/** While paused, no USDC can move. */
export const isPaused = (nodes: EvmNodes = evmNodes()): Promise<boolean> =>
  ask(encodeFunctionData({ abi: usdcAbi, functionName: "paused" }), nodes);

/** Whether USDC refuses transfers from and to `account`. Its own address is among them. */
export const isBlacklisted = (account: Hex, nodes: EvmNodes = evmNodes()): Promise<boolean> =>
  ask(encodeFunctionData({ abi: usdcAbi, functionName: "isBlacklisted", args: [account] }), nodes);

/** The USDC balance of `account` in base units, at the latest block. */
export function readUsdc(account: Hex, nodes: EvmNodes = evmNodes()): Promise<bigint> {
  const call = { to: usdcAddress(nodes.chainId), data: encodeFunctionData({ abi: usdcAbi, functionName: "balanceOf", args: [account] }) };
  return nodes.callFirst((node) => node.call("eth_call", [call, "latest"], bytes32.transform(BigInt)));
}

/** Reads whether an EIP-3009 authorization was carried out or cancelled. */
export const usedState = (authorizer: Hex, nonce: Hex, chainId: number): ReadState<boolean> =>
  read(encodeFunctionData({ abi: usdcAbi, functionName: "authorizationState", args: [authorizer, nonce] }), chainId);

/** Whether an EIP-3009 authorization was carried out or cancelled, at the latest block. */
export const isAuthorizationUsed = (authorizer: Hex, nonce: Hex, nodes: EvmNodes = evmNodes()): Promise<boolean> =>
  nodes.callFirst((node) => usedState(authorizer, nonce, nodes.chainId)(node, "latest"));

/** The same, when any answering node says so. */
export const isAuthorizationUsedAnywhere = async (authorizer: Hex, nonce: Hex, nodes: EvmNodes = evmNodes()): Promise<boolean> =>
  (await readLatestStates(usedState(authorizer, nonce, nodes.chainId), nodes)).includes(true);

/**
 * The same at the end of one block, so that a lagging node cannot answer for an earlier one.
 * @throws EvmFailure when no node has that block
 */
export const isAuthorizationUsedAt = (authorizer: Hex, nonce: Hex, blockHash: Hex, nodes: EvmNodes = evmNodes()): Promise<boolean> =>
  nodes.callFirst((node) => usedState(authorizer, nonce, nodes.chainId)(node, { blockHash }));

/**
 * The same with enough certainty to give money back: all answering nodes agree, at a block that each has as final with the same hash and
 * time. Null when they disagree, or when only one of several nodes answers.
 * @throws EvmFailure when no node has that block as final
 */
export const readSettledAuthorization = (
  authorizer: Hex,
  nonce: Hex,
  block: Block,
  nodes: EvmNodes = evmNodes(),
): Promise<boolean | null> => readFinalState(usedState(authorizer, nonce, nodes.chainId), block, nodes);
