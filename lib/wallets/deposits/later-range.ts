// Ranges that are read behind the cursor, at leisure: what fails is tried again at the next tick, what is too large in parts.

import { isEvmFailure } from "@/lib/chains/evm/failure";
import type { TokenTransfer } from "@/lib/chains/evm/transfers";

const MAX_BLOCKS = 500;

export interface LaterRange {
  toBlock: number;
  transfers: TokenTransfer[];
}

/**
 * Reads from `fromBlock` as far as it goes at once, up to `lastBlock`. A single block that is too large is passed over.
 * Null when there is nothing to read, or no node to read it from now.
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
