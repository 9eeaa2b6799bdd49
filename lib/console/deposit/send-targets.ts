// What a browser's wallet is told to pay to: USDC as it is on this service's own chains, and the owner's addresses there.
//
// In a sandbox no wallet can be led to send real money. On the EVM chain a transaction names the chain's number, which is 31337 here
// and no public chain's; the page asks the wallet for its number right before it sends, and hands it over with the transaction. Where
// BASE_CHAIN_ID gives the sandbox another number nothing is offered. On Solana a transaction names a recent blockhash, which only this
// sandbox's chain has made, and the sandbox's own mint, whose address follows from the sandbox's seed: no other cluster has that mint,
// nor an account of it, whatever blockhash or fee a wallet puts in.

import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { findWallet } from "@/lib/wallets/custody/custodial-wallet";
import { findCustody, payableMint } from "@/lib/wallets/custody/custody";
import type { EvmUsdc, SendTargets } from "../views/send-targets";
import { walletChain } from "../wallet-chain";

/** Of the chain that anvil, and nothing public, is by itself. */
const SANDBOX_CHAIN_ID = 31_337;

/**
 * Null where nothing may be sent from a wallet, or the account has no addresses yet.
 * @throws AppError INTERNAL_ERROR when what the database holds is not what the signer made
 */
export async function findSendTargets(accountId: AccountId): Promise<SendTargets> {
  const [wallet, custody] = await Promise.all([findWallet(accountId), findCustody()]);
  if (!wallet || !custody) return { base: null, solana: null };
  const solana = { mint: payableMint(custody), to: wallet.solanaAddress, tokenAccount: wallet.solanaTokenAccount };
  const usdc = findEvmUsdc();
  return { base: usdc && { ...usdc, to: wallet.baseAddress }, solana };
}

/** Null where no wallet may be asked for transactions. */
export function findEvmUsdc(): EvmUsdc | null {
  const { id: chainId, walletRpcUrl } = walletChain();
  const isSandbox = config().MODE === "sandbox";
  if (isSandbox && chainId !== SANDBOX_CHAIN_ID) return null;
  return { chainId, usdc: usdcAddress(chainId), walletRpcUrl, isSandbox };
}
