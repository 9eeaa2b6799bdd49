// Which tokens may be paid in: USDC as its issuer writes it, on the chains that are watched.

import { getAddress } from "viem";
import { config } from "@/lib/base/config";
import { baseChainId } from "@/lib/chains/evm/base";
import { findUsdc } from "@/lib/chains/evm/usdc";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { isWatched } from "@/lib/wallets/deposits/watched";

/** The contract on Base and the mint on Solana; none in a sandbox, whose own tokens are worth nothing. */
export function listPayableTokens(): readonly { network: string; token: string }[] {
  if (config().MODE === "sandbox") return [];
  const usdc = isWatched("base") ? findUsdc(baseChainId()) : null;
  return [
    ...(usdc ? [{ network: "Base", token: getAddress(usdc) }] : []),
    ...(isWatched("solana") ? [{ network: "Solana", token: USDC_MINT }] : []),
  ];
}
