// Finds the transaction that carried out an EIP-3009 authorization: USDC emits an event with its nonce. Anybody can submit an
// authorization.

import { encodeEventTopics, type Hex, toHex } from "viem";
import { z } from "zod";
import { type EvmNodes, evmNodes } from "./nodes";
import { usdcAbi, usdcAddress } from "./usdc";
import { bytes32 } from "./wire";

interface AuthorizationUse {
  authorizer: Hex;
  nonce: Hex;
  /** The authorization was used in this block or earlier. */
  toBlock: number;
}

/** Blocks per request: the range that public nodes accept. */
const SPAN = 2_000;
/** About five hours on Base. */
const MAX_REQUESTS = 5;

const logsForm = z.array(z.object({ topics: z.array(bytes32), transactionHash: bytes32 }));

/**
 * Searches backwards from `toBlock`; null when the last `SPAN` × `MAX_REQUESTS` blocks do not hold it.
 * @throws EvmFailure
 */
export async function findAuthorizationUse(use: AuthorizationUse, nodes: EvmNodes = evmNodes()): Promise<Hex | null> {
  const { authorizer, nonce, toBlock } = use;
  const topics = encodeEventTopics({ abi: usdcAbi, eventName: "AuthorizationUsed", args: { authorizer, nonce } });
  for (let requests = 0, last = toBlock; requests < MAX_REQUESTS && last >= 0; requests++, last -= SPAN) {
    const filter = { address: usdcAddress(nodes.chainId), topics, fromBlock: toHex(Math.max(0, last - SPAN + 1)), toBlock: toHex(last) };
    const logs = await nodes.callFirst((node) => node.call("eth_getLogs", [filter], logsForm));
    const found = logs.find((log) => log.topics.join() === topics.join());
    if (found) return found.transactionHash;
  }
  return null;
}
