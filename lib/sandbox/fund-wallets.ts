// The initial funds of the sandbox's wallets: fees for all senders, and test USDC for the demo wallet. Wallets that have funds get none, so
// the next start completes what a killed one left undone.

import type { Hex } from "viem";
import { z } from "zod";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { createNodes } from "@/lib/chains/evm/nodes";
import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import type { EvmChain } from "./evm-chain/start";
import type { SolanaChain } from "./solana-chain/process";

/** 100 USDC, in millionths. */
const TEST_USDC = 100_000_000n;
/** 10 SOL. */
const FEE_LAMPORTS = 10_000_000_000n;

/** @throws Error when the chain is down */
export async function giveUsdcOnEvm(chain: Pick<EvmChain, "chainId" | "usdc" | "url" | "mint">, wallet: Hex): Promise<void> {
  const nodes = createNodes({ urls: [chain.url()], chainId: chain.chainId });
  const latest = await findBlock("latest", nodes);
  if (!latest) throw new Error("The sandbox's EVM chain has no block.");
  const [units] = await readBalances({ token: chain.usdc, accounts: [wallet], blockHash: latest.hash }, nodes);
  if (units === 0n) await chain.mint(wallet, TEST_USDC);
}

type SolanaFaucet = Pick<SolanaChain, "usdcMint" | "genesisHash" | "url" | "faucet" | "airdrop">;

const nodesOf = (chain: SolanaFaucet) => new SolanaNodes({ urls: [chain.url()], genesisHash: chain.genesisHash });

/** Tops up payers that have less than half of the initial amount. @throws Error when the chain is down */
export async function giveSol(chain: SolanaFaucet, payers: readonly string[]): Promise<void> {
  const nodes = nodesOf(chain);
  for (const payer of payers) {
    const { value: lamports } = await nodes.callAtSlot("getBalance", [payer, { commitment: "processed" }], z.number());
    if (BigInt(lamports) < FEE_LAMPORTS / 2n) await chain.airdrop(payer, FEE_LAMPORTS);
  }
}

/** @throws Error when the chain is down */
export async function giveUsdcOnSolana(chain: SolanaFaucet, wallet: string): Promise<void> {
  const account = deriveTokenAccount(wallet, chain.usdcMint);
  const units = (await readTokenBalances(nodesOf(chain), [account])).get(account)?.value ?? 0n;
  if (units === 0n) await chain.faucet(wallet, TEST_USDC);
}
