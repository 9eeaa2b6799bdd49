// Transfers of tokens to watched addresses, read from logs. viem's getLogs compares each log with each address in JavaScript (23 s at
// 29,000 addresses), so logs are requested and parsed here. A range is read completely from one node, or not at all.

import { type Hex, pad, toHex } from "viem";
import { z } from "zod";
import { type Block, findBlockOf } from "./blocks";
import { EvmFailure } from "./failure";
import type { EvmNode } from "./node";
import { type EvmNodes, evmNodes } from "./nodes";
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

export interface TransferQuery {
  /** Null reads every token. */
  token: Hex | null;
  /** Receivers, lower case. */
  receivers: readonly Hex[];
  /** Inclusive at both ends. */
  fromBlock: number;
  toBlock: number;
  /** Receivers per request. */
  chunkSize?: number;
}

export interface TransferRange {
  /** Ordered by block and log index. */
  transfers: TokenTransfer[];
  /** The block at `toBlock`: while it is unchanged, the transfers are valid. */
  end: Block;
}

/** keccak256("Transfer(address,address,uint256)") */
const TRANSFER: Hex = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const CHUNK_SIZE = 500;
const AT_ONCE = 4;

const wireLog = z.object({
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

/**
 * Reads every transfer to `receivers` in the range.
 * @throws EvmFailure `too_large`: request a smaller range; `moved`: the chain was reorganised meanwhile; `behind`: no node has the end yet
 */
export const readTransfers = (query: TransferQuery, nodes: EvmNodes = evmNodes()): Promise<TransferRange> =>
  nodes.callFirst(async (node) => {
    // For blocks that it lacks a node returns no logs and no error, so it must prove that it has the last one.
    const end = await endOf(node, query.toBlock);
    const transfers = await readChunks(node, query);
    const endAfterwards = await endOf(node, query.toBlock);
    if (end.hash !== endAfterwards.hash || !isOneChain(transfers, end)) {
      throw new EvmFailure("moved", `${node.name}: blocks up to ${query.toBlock} changed while they were read`);
    }
    return { transfers, end };
  });

const wireReceipt = z.object({ transactionHash: bytes32, logs: z.array(wireLog) });

/** Transfers of `token` in one transaction, in order; none when `node` has no block with it. @throws EvmFailure */
export async function readTransfersIn(node: EvmNode, txHash: Hex, token: Hex): Promise<TokenTransfer[]> {
  const receipt = await node.call("eth_getTransactionReceipt", [txHash], wireReceipt.nullable());
  if (receipt?.transactionHash !== txHash) return [];
  const transfers = receipt.logs.map(readTransferLog).filter((transfer) => transfer !== null);
  return transfers.filter((transfer) => transfer.token === token && transfer.txHash === txHash);
}

async function endOf(node: EvmNode, number: number): Promise<Block> {
  const block = await findBlockOf(node, number);
  if (!block) throw new EvmFailure("behind", `${node.name}: has no block ${number}`);
  return block;
}

async function readChunks(node: EvmNode, query: TransferQuery): Promise<TokenTransfer[]> {
  const { receivers, chunkSize = CHUNK_SIZE } = query;
  const chunks: (readonly Hex[])[] = [];
  for (let from = 0; from < receivers.length; from += chunkSize) chunks.push(receivers.slice(from, from + chunkSize));
  const found: TokenTransfer[] = [];
  const readNext = async () => {
    for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) found.push(...(await readChunk(node, query, chunk)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  found.sort((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex);
  // A log returned twice is one transfer.
  return found.filter((transfer, index) => {
    const before = found[index - 1];
    return before?.blockNumber !== transfer.blockNumber || before.logIndex !== transfer.logIndex || before.blockHash !== transfer.blockHash;
  });
}

async function readChunk(node: EvmNode, { token, fromBlock, toBlock }: TransferQuery, chunk: readonly Hex[]): Promise<TokenTransfer[]> {
  const filter = {
    ...(token ? { address: token } : {}),
    topics: [TRANSFER, null, chunk.map((receiver) => pad(receiver))],
    fromBlock: toHex(fromBlock),
    toBlock: toHex(toBlock),
  };
  const logs = await node.call("eth_getLogs", [filter], z.array(wireLog));
  const requested = new Set(chunk);
  return logs.flatMap((log) => {
    if (log.removed) return [];
    const transfer = readTransferLog(log);
    // In a query for all tokens: some, mostly NFTs, emit the same event with another layout.
    if (transfer === null && token === null) return [];
    const isAsked =
      transfer !== null &&
      requested.has(transfer.to) &&
      (token === null || transfer.token === token) &&
      transfer.blockNumber >= fromBlock &&
      transfer.blockNumber <= toBlock;
    if (!isAsked) throw new EvmFailure("malformed", `${node.name}: eth_getLogs was answered with a log that was not asked for`);
    return [transfer];
  });
}

function readTransferLog({ address: token, topics, data, transactionHash, ...place }: WireLog): TokenTransfer | null {
  const [event, from, to, ...more] = topics;
  if (event !== TRANSFER || !from || !to || more.length > 0 || data.length !== 66) return null;
  const { logIndex, blockNumber, blockHash } = place;
  const ends = { from: addressOf(from), to: addressOf(to) };
  return { token, ...ends, units: BigInt(data), txHash: transactionHash, logIndex, blockNumber, blockHash };
}

const addressOf = (topic: Hex): Hex => `0x${topic.slice(26)}`;

/** Whether each height has one hash, and the last height that of `end`. */
function isOneChain(transfers: readonly TokenTransfer[], end: Block): boolean {
  const hashes = new Map([[end.number, end.hash]]);
  return transfers.every(({ blockNumber, blockHash }) => {
    const known = hashes.get(blockNumber);
    if (known === undefined) hashes.set(blockNumber, blockHash);
    return known === undefined || known === blockHash;
  });
}
