// What USDC says of itself and of an address: whether it is paused, whom it refuses, and which authorizations were used.

import { encodeFunctionData, type Hex } from "viem";
import { type EvmNodes, evmNodes } from "./nodes";
import { usdcAbi, usdcAddress } from "./usdc";
import { flag } from "./wire";

const ask = (data: Hex, nodes: EvmNodes): Promise<boolean> =>
  nodes.ask((node) => node.call("eth_call", [{ to: usdcAddress(nodes.chainId), data }, "latest"], flag));

/** While it is, nobody's USDC can move. */
export const isPaused = (nodes: EvmNodes = evmNodes()): Promise<boolean> =>
  ask(encodeFunctionData({ abi: usdcAbi, functionName: "paused" }), nodes);

/** Whether USDC refuses transfers from and to `account`. Its own address is among them. */
export const isBlacklisted = (account: Hex, nodes: EvmNodes = evmNodes()): Promise<boolean> =>
  ask(encodeFunctionData({ abi: usdcAbi, functionName: "isBlacklisted", args: [account] }), nodes);

/**
 * The same as of the end of one block, so that no node that lags tells of an earlier one.
 * @throws EvmFailure when no node has that block
 */
export const isAuthorizationUsedAt = (authorizer: Hex, nonce: Hex, blockHash: Hex, nodes: EvmNodes = evmNodes()): Promise<boolean> => {
  const data = encodeFunctionData({ abi: usdcAbi, functionName: "authorizationState", args: [authorizer, nonce] });
  return nodes.ask((node) => node.call("eth_call", [{ to: usdcAddress(nodes.chainId), data }, { blockHash }], flag));
};

/** Whether an EIP-3009 authorization was carried out or cancelled, as of the latest block. */
export const isAuthorizationUsed = (authorizer: Hex, nonce: Hex, nodes: EvmNodes = evmNodes()): Promise<boolean> =>
  ask(encodeFunctionData({ abi: usdcAbi, functionName: "authorizationState", args: [authorizer, nonce] }), nodes);
