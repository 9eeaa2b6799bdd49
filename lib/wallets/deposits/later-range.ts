// Low-priority reads of ranges behind the cursor: failures are retried at the next tick, and ranges that are too large are split.

import { isEvmFailure } from "@/lib/chains/evm/failure";
import type { TokenTransfer } from "@/lib/chains/evm/transfer-logs";

const MAX_BLOCKS = 500;

export interface LaterRange {
  toBlock: number;
  transfers: TokenTransfer[];
}

/**
 * Reads one range from `fromBlock`, as long as possible up to `lastBlock`. A single block that is too large is skipped. Null when there is
 * nothing to read, or no node answers.
 */
export async function readLaterRange(
  fromBlock: number,
  lastBlock: number,
  read: (fromBlock: number, toBlock: number) => Promise<TokenTransfer[]>,
): Promise<LaterRange | null> {
  let toBlock = Math.min(lastBlock, fromBlock + MAX_BLOCKS - 1);
  while (toBlock >= fromBlock) {
    try {
      return { toBlock, transfers: await read(fromBlock, toBlock) };
    } catch (error) {
      if (!isEvmFailure(error)) throw error;
      if (error.kind !== "too_large") return null;
      if (toBlock === fromBlock) return { toBlock, transfers: [] };
      toBlock = fromBlock + Math.floor((toBlock - fromBlock) / 2);
    }
  }
  return null;
}
