// Public explorers: where anybody can look a transaction up.

import { config } from "@/lib/base/config";
import { baseChainId } from "./evm/base";

const evmExplorers: ReadonlyMap<number, string> = new Map([
  [8_453, "https://basescan.org"],
  [84_532, "https://sepolia.basescan.org"],
]);

/** The page of a transaction; null where nobody else can see its chain: in a sandbox, and on chains without an explorer. */
export function transactionUrl(chain: "base" | "solana", transaction: string): string | null {
  if (config().MODE !== "live") return null;
  if (chain === "solana") return `https://explorer.solana.com/tx/${transaction}`;
  const explorer = evmExplorers.get(baseChainId());
  return explorer ? `${explorer}/tx/${transaction}` : null;
}
