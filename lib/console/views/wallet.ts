// Wallets of a browser: how a page names one, what it has one sign, and what a page with wallets knows of this service.

import type { WalletChain } from "@/lib/chains/wallet";

/** A wallet as its owner names it: with EIP-55's capital letters on EVM chains. */
export interface NamedWallet {
  chain: WalletChain;
  address: string;
}

/** What a wallet is asked to sign: the text as a whole, and for wallets that write it themselves its fields. */
export interface PlainChallenge {
  nonce: string;
  text: string;
  signInInput?: Readonly<Record<string, string | readonly string[]>>;
}

/** The EVM chain that wallets are asked about. */
export interface WalletChainSettings {
  id: number;
  name: string;
  /**
   * Told to a wallet that does not know the chain: its own requests are no page's, and do not pass this service's door. Null where
   * there is none to tell of.
   */
  walletRpcUrl: string | null;
}

/** A transaction that the demo wallet is asked for, as the wallet's library wrote it; on Solana in base64. */
export type DemoTransfer = { chain: "evm"; to: string; data: string; value?: string } | { chain: "solana"; transaction: string };

export interface WalletSettings {
  /** The service's name, as wallets show it. */
  appName: string;
  chain: WalletChainSettings;
  /** This service's own address, without a trailing slash. */
  baseUrl: string;
  /** Only where the operator registered the service with WalletConnect. */
  walletConnectProjectId: string | null;
}

/** The sandbox's demo wallet, which signs by itself. */
export interface DemoWallets {
  evm: { address: string };
  solana: { address: string };
  chainId: number;
}

/**
 * Signs a text with one of the demo wallet's keys: 0x… on Ethereum, base58 on Solana. Sends a transfer on Ethereum, which gives its
 * hash; signs one on Solana, which gives the signature, base58. Null for whatever else it is asked.
 */
export type SignDemo = (chain: NamedWallet["chain"], request: string | DemoTransfer) => Promise<string | null>;

/** What a page hands to all that talks to wallets. */
export interface WalletAccess {
  settings: WalletSettings;
  /** Null where there is no demo wallet. */
  demo: DemoWallets | null;
  signDemo: SignDemo;
}
