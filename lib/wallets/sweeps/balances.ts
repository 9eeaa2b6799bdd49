// Balances at custodial addresses at a final block: only these are swept.

import type { Hex } from "viem";
import type { ChainId } from "@/lib/base/chains";
import { readBalances } from "@/lib/chains/evm/balances";
import { readHead } from "@/lib/chains/evm/head";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { readTokenAccounts } from "@/lib/chains/solana/token-accounts";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { evmOf, type RelayNodes, solanaOf } from "@/lib/relay/chain";

export interface FinalBalance {
  /** USDC base units. */
  units: bigint;
  /** On Solana a token account can be frozen; on Base the simulation of a sweep shows a blacklisted address. */
  isFrozen: boolean;
}

export interface FinalBalances {
  block: number;
  /** In the order of the request. */
  balances: FinalBalance[];
}

/**
 * Up to a hundred addresses, all at one block.
 * @returns null while the chain's head is in doubt
 * @throws EvmFailure, SolanaUnavailable
 */
export function readFinalBalances(
  chain: ChainId,
  addresses: readonly string[],
  { nodes, mint }: { nodes: RelayNodes; mint: string },
): Promise<FinalBalances | null> {
  return chain === "base" ? readFinalOnBase(addresses, evmOf(nodes)) : readFinalOnSolana(addresses, mint, solanaOf(nodes));
}

export async function readFinalOnBase(addresses: readonly string[], nodes: EvmNodes): Promise<(FinalBalances & { blockHash: Hex }) | null> {
  const { finalized, doubt } = await readHead(nodes);
  if (doubt !== null) return null;
  const query = { token: usdcAddress(nodes.chainId), accounts: addresses as Hex[], blockHash: finalized.hash };
  const balances = (await readBalances(query, nodes)).map((units) => ({ units, isFrozen: false }));
  return { block: finalized.number, blockHash: finalized.hash, balances };
}

export async function readFinalOnSolana(addresses: readonly string[], mint: string, nodes: SolanaNodes): Promise<FinalBalances> {
  const accounts = addresses.map((address) => deriveTokenAccount(address, mint));
  const { slot, value } = await readTokenAccounts(nodes, accounts, "finalized");
  return { block: slot, balances: value.map((account) => ({ units: account?.units ?? 0n, isFrozen: account?.isFrozen ?? false })) };
}
