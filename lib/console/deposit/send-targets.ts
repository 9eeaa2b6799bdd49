// The payment targets for a browser's wallet: USDC as it is on this service's own chains, and the owner's addresses there.
//
// In a sandbox no wallet can be tricked into sending real money. An EVM transaction names its chain id, which is 31337 here and no
// public chain's; the page asks the wallet for its chain id right before it sends, and passes it with the transaction. Where
// BASE_CHAIN_ID gives the sandbox another id, nothing is offered. A Solana transaction names a recent blockhash, which only this
// sandbox's chain has made, and the sandbox's own mint, whose address follows from the sandbox's seed: no other cluster has that mint,
// nor a token account of it, whatever blockhash or fee a wallet puts in.

import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { findWallet } from "@/lib/wallets/custody/custodial-wallet";
import { findCustody, payableMint } from "@/lib/wallets/custody/custody";
import type { EvmUsdc, SendTargets } from "../views/send-targets";
import { walletChain } from "../wallet-chain";

/** anvil's default chain id, which no public chain has. */
const SANDBOX_CHAIN_ID = 31_337;

/**
 * Null where wallets cannot send, or before the account has addresses.
 * @throws AppError INTERNAL_ERROR when an address in the database is not the signer's
 */
export async function findSendTargets(accountId: AccountId): Promise<SendTargets> {
  const [wallet, custody] = await Promise.all([findWallet(accountId), findCustody()]);
  if (!wallet || !custody) return { base: null, solana: null };
  const solana = { mint: payableMint(custody), to: wallet.solanaAddress, tokenAccount: wallet.solanaTokenAccount };
  const usdc = findEvmUsdc();
  return { base: usdc && { ...usdc, to: wallet.baseAddress }, solana };
}

/** Null where no wallet may be asked for a transaction. */
export function findEvmUsdc(): EvmUsdc | null {
  const { id: chainId, walletRpcUrl } = walletChain();
  const isSandbox = config().MODE === "sandbox";
  if (isSandbox && chainId !== SANDBOX_CHAIN_ID) return null;
  return { chainId, usdc: usdcAddress(chainId), walletRpcUrl, isSandbox };
}
