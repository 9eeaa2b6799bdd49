// Links to public block explorers, for transactions, addresses and blocks.

import type { ChainId } from "@/lib/base/chains";
import { config } from "@/lib/base/config";
import { baseChainId } from "./evm/base";

const evmExplorers: ReadonlyMap<number, string> = new Map([
  [8_453, "https://basescan.org"],
  [84_532, "https://sepolia.basescan.org"],
]);

/** The page of a transaction; null in a sandbox, whose chain is private, and on chains without an explorer. */
export const transactionUrl = (chain: ChainId, transaction: string): string | null => pageOf(chain, `tx/${transaction}`);

/** The page of an address; null as above. */
export const addressUrl = (chain: ChainId, address: string): string | null => pageOf(chain, `address/${address}`);

/** The page of a block by its number, on Solana by its slot; null as above. */
export const blockUrl = (chain: ChainId, height: number): string | null => pageOf(chain, `block/${height}`);

function pageOf(chain: ChainId, path: string): string | null {
  if (config().MODE !== "live") return null;
  const explorer = chain === "solana" ? "https://explorer.solana.com" : evmExplorers.get(baseChainId());
  return explorer ? `${explorer}/${path}` : null;
}
