// The tokens accepted for deposits: USDC by its issuer's addresses, on the watched chains.

import { getAddress } from "viem";
import { config } from "@/lib/base/config";
import { baseChainId } from "@/lib/chains/evm/base";
import { findUsdc } from "@/lib/chains/evm/usdc";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { isWatched } from "@/lib/wallets/deposits/watched";

/** The contract on Base and the mint on Solana; none in a sandbox, whose own tokens are worthless. */
export function listPayableTokens(): readonly { network: string; token: string }[] {
  if (config().MODE === "sandbox") return [];
  const usdc = isWatched("base") ? findUsdc(baseChainId()) : null;
  return [
    ...(usdc ? [{ network: "Base", token: getAddress(usdc) }] : []),
    ...(isWatched("solana") ? [{ network: "Solana", token: USDC_MINT }] : []),
  ];
}
