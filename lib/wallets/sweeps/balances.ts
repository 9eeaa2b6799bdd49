// What lies at custodial addresses, as of a block that is final: only that is swept.

import type { Hex } from "viem";
import { readBalances } from "@/lib/chains/evm/balances";
import { readHead } from "@/lib/chains/evm/head";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { readTokenAccounts } from "@/lib/chains/solana/token-accounts";
import { evmOf, type RelayNodes, solanaOf } from "@/lib/relay/chain";
import { deriveTokenAccount } from "../token-account";
import type { SweepChain } from "./sweep";

export interface FinalBalance {
  /** USDC base units. */
  units: bigint;
  /** Solana's USDC can be frozen where it lies; Base is asked whom it refuses when a sweep is tried out. */
  isFrozen: boolean;
}

export interface FinalBalances {
  block: number;
  /** In the order that they were asked for. */
  balances: FinalBalance[];
}

/**
 * All as of one block, up to a hundred.
 * @returns null while the chain's head is in doubt
 * @throws EvmFailure, SolanaUnavailable
 */
export function readFinalBalances(
  chain: SweepChain,
  addresses: readonly string[],
  { nodes, mint }: { nodes: RelayNodes; mint: string },
): Promise<FinalBalances | null> {
  return chain === "base" ? readOnBase(addresses, nodes) : readOnSolana(addresses, mint, nodes);
}

async function readOnBase(addresses: readonly string[], given: RelayNodes): Promise<FinalBalances | null> {
  const nodes = evmOf(given);
  const { finalized, doubt } = await readHead(nodes);
  if (doubt !== null) return null;
  const query = { token: usdcAddress(nodes.chainId), accounts: addresses as Hex[], blockHash: finalized.hash };
  const balances = (await readBalances(query, nodes)).map((units) => ({ units, isFrozen: false }));
  return { block: finalized.number, balances };
}

async function readOnSolana(addresses: readonly string[], mint: string, given: RelayNodes): Promise<FinalBalances> {
  const nodes = solanaOf(given);
  const accounts = addresses.map((address) => deriveTokenAccount(address, mint));
  const { slot, value } = await readTokenAccounts(nodes, accounts, "finalized");
  return { block: slot, balances: value.map((account) => ({ units: account?.units ?? 0n, isFrozen: account?.isFrozen ?? false })) };
}
