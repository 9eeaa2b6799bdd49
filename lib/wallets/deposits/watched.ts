// On which chains deposits are watched. No address on another is shown: nobody would see a payment there.

import { config } from "@/lib/base/config";
import { baseChainId } from "@/lib/chains/evm/base";
import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import { findUsdc } from "@/lib/chains/evm/usdc";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import type { DepositChain } from "./deposit";

/** Whether there are nodes to ask, and a token to ask for. A sandbox's own chains come up with it. */
export function isWatched(chain: DepositChain): boolean {
  if (config().MODE === "sandbox") return true;
  if (chain === "solana") return solanaCluster().urls.length > 0;
  return evmNodeUrls().length > 0 && findUsdc(baseChainId()) !== null;
}
