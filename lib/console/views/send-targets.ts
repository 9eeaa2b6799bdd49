// The targets that a browser's wallet gets: where to send USDC, and which contract to approve.

/** USDC on the EVM chain, as passed to a wallet. */
export interface EvmUsdc {
  chainId: number;
  /** The token's contract. */
  usdc: string;
  /** See `WalletChainSettings`. */
  walletRpcUrl: string | null;
  /** The wallet must prove that it is on exactly this chain, since other sandboxes use the same chain id. */
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

/** The contract that a wallet approves to take USDC when it signs a payment. */
export interface SettlementTarget extends EvmUsdc {
  /** The settlement contract. */
  contract: string;
}
