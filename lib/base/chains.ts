// The chains that USDC comes and goes over, an entry each.

interface ChainEntry {
  /** For people. */
  name: string;
  /** The kind of its wallets: an EVM wallet has the same address on all EVM chains. */
  kind: "evm" | "solana";
  /** What its fees are paid in. */
  nativeCurrency: string;
  /** From when a deposit is sent until it can be spent. */
  creditedIn: string;
  /** From when a deposit is sent until it can be withdrawn. */
  finalIn: string;
}

/** In the order of every list. The name of an entry is the chain's in the API, in tables and in labels of metrics: it never changes. */
export const chainRegistry = {
  base: {
    name: "Base",
    kind: "evm",
    nativeCurrency: "ETH",
    // docs.base.org/base-chain/network-information/transaction-finality: the L1 batch after about 2 minutes, its finality after about 20.
    creditedIn: "about 2 minutes",
    finalIn: "about 20 minutes",
  },
  solana: {
    name: "Solana",
    kind: "solana",
    nativeCurrency: "SOL",
    // A slot of 0.4 s is finalized after 32 more: about 13 s.
    creditedIn: "about 15 seconds",
    finalIn: "about 15 seconds",
  },
} as const satisfies Record<string, ChainEntry>;

export type ChainId = keyof typeof chainRegistry;

export const chainIds: readonly ChainId[] = Object.keys(chainRegistry) as ChainId[];

export const chainName = (chain: ChainId): string => chainRegistry[chain].name;

/** The kind of a wallet on a chain. */
export const walletChainOf = (chain: ChainId): "evm" | "solana" => chainRegistry[chain].kind;

export const otherChains = (chain: ChainId): ChainId[] => chainIds.filter((one) => one !== chain);

/** A value for each chain. */
export const perChain = <T>(of: (chain: ChainId) => T): Record<ChainId, T> =>
  Object.fromEntries(chainIds.map((chain) => [chain, of(chain)])) as Record<ChainId, T>;
