// The networks that payments come over, by their CAIP-2 names.

import type { ChainId } from "@/lib/base/chains";
import { baseChainId } from "@/lib/chains/evm/base";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { MAINNET_GENESIS_HASH } from "@/lib/chains/solana/nodes";
import type { WalletChain } from "@/lib/chains/wallet";

/** The number of characters of a cluster's genesis hash in its name. */
const GENESIS_CHARACTERS = 32;

export const evmNetwork = (): string => `eip155:${baseChainId()}`;

export const solanaNetwork = (): string => `solana:${(solanaCluster().genesisHash ?? MAINNET_GENESIS_HASH).slice(0, GENESIS_CHARACTERS)}`;

export const networkOf = (chain: WalletChain): string => (chain === "evm" ? evmNetwork() : solanaNetwork());

/** The chain of a network that a payment came over. */
export const chainOfNetwork = (network: string): ChainId => (network.startsWith("solana:") ? "solana" : "base");
