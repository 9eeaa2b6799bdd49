// What a browser's wallet is told to pay to, and what it is told to let USDC be taken by.

/** USDC on the EVM chain, as a wallet is told of it. */
export interface EvmUsdc {
  chainId: number;
  /** The token's contract. */
  usdc: string;
  /** As `WalletChainSettings` has it. */
  walletRpcUrl: string | null;
  /** The wallet must show that it is on the very chain that we ask, since others have its number too. */
  isSandbox: boolean;
}

export interface EvmTarget extends EvmUsdc {
  /** The owner's deposit address. */
  to: string;
}

export interface SolanaTarget {
  mint: string;
  /** The owner's deposit address, and its account for tokens of `mint`. */
  to: string;
  tokenAccount: string;
}

export interface SendTargets {
  base: EvmTarget | null;
  solana: SolanaTarget | null;
}

/** What a wallet allows to take USDC, when it signs a payment. */
export interface SettlementTarget extends EvmUsdc {
  /** The settlement contract. */
  contract: string;
}
