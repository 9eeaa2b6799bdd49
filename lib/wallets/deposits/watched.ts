// The chains on which deposits are watched. Addresses on other chains are not shown, since a payment there would not be seen.

import type { ChainId } from "@/lib/base/chains";
import { config } from "@/lib/base/config";
import { baseChainId } from "@/lib/chains/evm/base";
import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import { findUsdc } from "@/lib/chains/evm/usdc";
import { solanaCluster } from "@/lib/chains/solana/node-urls";

/** Whether nodes and a token are configured. A sandbox's own chains always count as watched. */
export function isWatched(chain: ChainId): boolean {
  if (config().MODE === "sandbox") return true;
  if (chain === "solana") return solanaCluster().urls.length > 0;
  return evmNodeUrls().length > 0 && findUsdc(baseChainId()) !== null;
}
