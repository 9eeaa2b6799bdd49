// A Transfer event: its form on the wire, and our form of it.

import type { Hex } from "viem";
import { z } from "zod";
import { address, bytes, bytes32, height, quantity } from "./wire";

/** A Transfer event. Addresses and hashes in lower case; `units` are the token's own (USDC: millionths). May be zero units. */
export interface TokenTransfer {
  token: Hex;
  from: Hex;
  to: Hex;
  units: bigint;
  txHash: Hex;
  /** Its index in the block's logs; identifies it together with the block's hash. */
  logIndex: number;
  blockNumber: number;
  blockHash: Hex;
}

/** keccak256("Transfer(address,address,uint256)") */
export const TRANSFER: Hex = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

export const wireLog = z.object({
  address,
  topics: z.array(bytes32),
  data: bytes,
  blockNumber: height,
  blockHash: bytes32,
  transactionHash: bytes32,
  logIndex: quantity,
  removed: z.boolean().optional(),
});
type WireLog = z.infer<typeof wireLog>;

export const wireReceipt = z.object({ transactionHash: bytes32, blockHash: bytes32, logs: z.array(wireLog) });

/** The transfers of one transaction, in order. Logs that name another transaction or block are not its own. */
export const transfersOf = ({ transactionHash, blockHash, logs }: z.infer<typeof wireReceipt>): TokenTransfer[] =>
  logs.map(readTransferLog).filter((log): log is TokenTransfer => log?.txHash === transactionHash && log.blockHash === blockHash);

export function readTransferLog({ address: token, topics, data, transactionHash, ...place }: WireLog): TokenTransfer | null {
  const [event, from, to, ...more] = topics;
  if (event !== TRANSFER || !from || !to || more.length > 0 || data.length !== 66) return null;
  const { logIndex, blockNumber, blockHash } = place;
  const ends = { from: addressOf(from), to: addressOf(to) };
  return { token, ...ends, units: BigInt(data), txHash: transactionHash, logIndex, blockNumber, blockHash };
}

const addressOf = (topic: Hex): Hex => `0x${topic.slice(26)}`;
