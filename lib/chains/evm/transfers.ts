// Transfers of tokens to watched addresses, read from logs. viem's getLogs compares each log with each address in JavaScript (23 s at
// 29,000 addresses), so logs are requested and parsed here. A range is read completely from one node, or not at all.

import { type Hex, pad, toHex } from "viem";
import { z } from "zod";
import { type Block, findBlockOf } from "./blocks";
import { type CrowdedBlockQuery, readCrowdedBlock } from "./crowded-block";
import { EvmFailure } from "./failure";
import type { EvmNode } from "./node";
import { type EvmNodes, evmNodes } from "./nodes";
import { readTransferLog, type TokenTransfer, TRANSFER, transfersOf, wireLog, wireReceipt } from "./transfer-logs";

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

const CHUNK_SIZE = 500;
const AT_ONCE = 4;

/**
 * Reads every transfer to `receivers` in the range.
 * @throws EvmFailure `too_large`: request a smaller range; `moved`: the chain was reorganised meanwhile; `behind`: no node has the end yet
 */
export const readTransfers = (query: TransferQuery | CrowdedBlockQuery, nodes: EvmNodes = evmNodes()): Promise<TransferRange> =>
  nodes.callFirst(async (node) => {
    const last = "crowdedBlock" in query ? query.crowdedBlock : query.toBlock;
    // For blocks that it lacks a node returns no logs and no error, so it must prove that it has the last one.
    const end = await endOf(node, last);
    const transfers = await ("crowdedBlock" in query ? readCrowdedBlock(node, query) : readChunks(node, query));
    const endAfterwards = await endOf(node, last);
    if (end.hash !== endAfterwards.hash || !isOneChain(transfers, end)) {
      throw new EvmFailure("moved", `${node.name}: blocks up to ${last} changed while they were read`);
    }
    return { transfers, end };
  });

/** Transfers of `token` in one transaction, in order; none when `node` has no block with it. @throws EvmFailure */
export async function readTransfersIn(node: EvmNode, txHash: Hex, token: Hex): Promise<TokenTransfer[]> {
  const receipt = await node.call("eth_getTransactionReceipt", [txHash], wireReceipt.nullable());
  if (receipt?.transactionHash !== txHash) return [];
  return transfersOf(receipt).filter((transfer) => transfer.token === token);
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

/** Whether each height has one hash, and the last height that of `end`. */
function isOneChain(transfers: readonly TokenTransfer[], end: Block): boolean {
  const hashes = new Map([[end.number, end.hash]]);
  return transfers.every(({ blockNumber, blockHash }) => {
    const known = hashes.get(blockNumber);
    if (known === undefined) hashes.set(blockNumber, blockHash);
    return known === undefined || known === blockHash;
  });
}
