// Which transaction carried out an EIP-3009 authorization: USDC writes an event with its nonce. Anybody can send one.

import { encodeEventTopics, type Hex, toHex } from "viem";
import { z } from "zod";
import { type EvmNodes, evmNodes } from "./nodes";
import { usdcAbi, usdcAddress } from "./usdc";
import { bytes32 } from "./wire";

interface AuthorizationUse {
  authorizer: Hex;
  nonce: Hex;
  /** It was used by then. */
  toBlock: number;
}

/** Blocks of one question: what public nodes answer. */
const SPAN = 2_000;
/** On Base some five hours. */
const MAX_QUESTIONS = 5;

const logsForm = z.array(z.object({ topics: z.array(bytes32), transactionHash: bytes32 }));

/**
 * Looks back from `toBlock`; null when it is not found in the last blocks before it.
 * @throws EvmFailure
 */
export async function findAuthorizationUse(use: AuthorizationUse, nodes: EvmNodes = evmNodes()): Promise<Hex | null> {
  const { authorizer, nonce, toBlock } = use;
  const topics = encodeEventTopics({ abi: usdcAbi, eventName: "AuthorizationUsed", args: { authorizer, nonce } });
  for (let asked = 0, last = toBlock; asked < MAX_QUESTIONS && last >= 0; asked++, last -= SPAN) {
    const filter = { address: usdcAddress(nodes.chainId), topics, fromBlock: toHex(Math.max(0, last - SPAN + 1)), toBlock: toHex(last) };
    const logs = await nodes.callFirst((node) => node.call("eth_getLogs", [filter], logsForm));
    const found = logs.find((log) => log.topics.join() === topics.join());
    if (found) return found.transactionHash;
  }
  return null;
}
