// What the wallet components need to be told, and what they give back.

export type WalletChain = "evm" | "solana";

export interface ConnectedWallet {
  chain: WalletChain;
  address: string;
  /** How the wallet calls itself. */
  name: string;
  /** How this browser finds it again (see wallet-memory.ts). */
  id: string;
}

/** What a wallet is asked to sign: the text as a whole, and for wallets that write it themselves its fields. */
export interface Challenge {
  nonce: string;
  text: string;
  signInInput?: Readonly<Record<string, string | readonly string[]>>;
}

export interface SignedChallenge {
  nonce: string;
  chain: WalletChain;
  address: string;
  /** The text as the wallet signed it. */
  message: string;
  /** 0x… of an Ethereum wallet, base58 of a Solana wallet. */
  signature: string;
}

/** The EVM chain that this service settles on. */
export interface EvmChain {
  id: number;
  name: string;
  /** Told to a wallet that does not know the chain: its own requests are no page's, and do not pass this service's door. */
  walletRpcUrl: string | null;
}

export interface WalletSettings {
  /** The service's name, as wallets show it. */
  appName: string;
  chain: EvmChain;
  /** This service's own address, without a trailing slash. */
  baseUrl: string;
  /** Only where the operator registered the service with WalletConnect. */
  walletConnectProjectId: string | null;
}

/** Ethereum addresses are the same in either case. */
export const isSameWallet = (one: { chain: WalletChain; address: string }, other: { chain: WalletChain; address: string }): boolean =>
  one.chain === other.chain &&
  (one.chain === "evm" ? one.address.toLowerCase() === other.address.toLowerCase() : one.address === other.address);

/** A transaction that the demo wallet is asked for, as the wallet's library wrote it; on Solana in base64. */
export type DemoTransfer = { chain: "evm"; to: string; data: string; value?: string } | { chain: "solana"; transaction: string };

/** USDC on the EVM chain that this service settles on. */
export interface EvmUsdc {
  chainId: number;
  /** The token's contract. */
  usdc: string;
  /** As `EvmChain` has it. */
  walletRpcUrl: string | null;
  /** The wallet must show that it is on the very chain that this service asks. */
  isSandbox: boolean;
}

/** Where a wallet pays USDC in there. */
export interface EvmTarget extends EvmUsdc {
  to: string;
}

/** What a wallet allows to take USDC there, when it signs a payment. */
export interface SettlementTarget extends EvmUsdc {
  contract: string;
}

/** And on Solana. */
export interface SolanaTarget {
  mint: string;
  to: string;
  /** The account of `to` for tokens of `mint`. */
  tokenAccount: string;
}
