// What USDC says of itself and of an address: whether it is paused, whom it refuses, and which authorizations were used.

import { encodeFunctionData, type Hex } from "viem";
import { type Block, findBlockOf } from "./blocks";
import { EvmFailure } from "./failure";
import type { EvmNode } from "./node";
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

/**
 * The same for whoever gives money back by it: as every node says that answers, of a block that each of them has as final, with
 * the same time. Null when they do not agree, or when there are others and none of them answers.
 * @throws EvmFailure when no node has that block as final
 */
export function readSettledAuthorization(
  authorizer: Hex,
  nonce: Hex,
  { number, hash, timestampS }: Block,
  nodes: EvmNodes = evmNodes(),
): Promise<boolean | null> {
  const data = encodeFunctionData({ abi: usdcAbi, functionName: "authorizationState", args: [authorizer, nonce] });
  const look = async (node: EvmNode) => {
    const [finalized, block] = await Promise.all([findBlockOf(node, "finalized"), findBlockOf(node, number)]);
    if (!finalized || !block || finalized.number < number)
      throw new EvmFailure("behind", `${node.name}: block ${number} is not final there`);
    const isSame = block.hash === hash && block.timestampS === timestampS;
    return { isSame, isUsed: await node.call("eth_call", [{ to: usdcAddress(nodes.chainId), data }, { blockHash: block.hash }], flag) };
  };
  return nodes.ask(async (node) => {
    const own = await look(node);
    const others = await nodes.askOthers(node, look);
    if (nodes.count > 1 && others.length === 0) return null;
    return [own, ...others].every(({ isSame, isUsed }) => isSame && isUsed === own.isUsed) ? own.isUsed : null;
  });
}

/** Whether an EIP-3009 authorization was carried out or cancelled, as of the latest block. */
export const isAuthorizationUsed = (authorizer: Hex, nonce: Hex, nodes: EvmNodes = evmNodes()): Promise<boolean> =>
  ask(encodeFunctionData({ abi: usdcAbi, functionName: "authorizationState", args: [authorizer, nonce] }), nodes);
