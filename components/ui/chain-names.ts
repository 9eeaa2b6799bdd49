// Display names of the chains for USDC deposits and withdrawals.

import type { Chain } from "@/lib/console/views/chain";

export const chains: readonly Chain[] = ["base", "solana"];

export const chainNames: Readonly<Record<Chain, string>> = { base: "Base", solana: "Solana" };

export const otherChain = (chain: Chain): Chain => (chain === "base" ? "solana" : "base");
