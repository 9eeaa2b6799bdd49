// Wallets in a browser: how a page names a wallet, what it signs, and this service's settings for pages with wallets.

import type { WalletChain } from "@/lib/chains/wallet";

/** A wallet as its owner sees it: with EIP-55 checksum capitals on EVM chains. */
export interface NamedWallet {
  chain: WalletChain;
  address: string;
}

/** A challenge for a wallet to sign: the whole text, and for wallets that compose it themselves, its fields. */
export interface PlainChallenge {
  nonce: string;
  text: string;
  signInInput?: Readonly<Record<string, string | readonly string[]>>;
}

/** The EVM chain that wallets must use. */
export interface WalletChainSettings {
  id: number;
  name: string;
  /**
   * For a wallet that does not know the chain: its own requests come from no page, and this service's proxy refuses them. Null where
   * there is no URL to give.
   */
  walletRpcUrl: string | null;
}

/** A transaction for the demo wallet, as the wallet's library wrote it; on Solana in base64. */
export type DemoTransfer = { chain: "evm"; to: string; data: string; value?: string } | { chain: "solana"; transaction: string };

export interface WalletSettings {
  /** The service's name, as wallets show it. */
  appName: string;
  chain: WalletChainSettings;
  /** This service's own URL, without a trailing slash. */
  baseUrl: string;
  /** Set only where the operator registered the service with WalletConnect. */
  walletConnectProjectId: string | null;
}

/** The sandbox's demo wallet, which signs automatically. */
export interface DemoWallets {
  evm: { address: string };
  solana: { address: string };
  chainId: number;
}

/**
 * Signs a text with one of the demo wallet's keys: 0x… on Ethereum, base58 on Solana. Sends a transfer on Ethereum and returns its
 * hash; signs one on Solana and returns the signature, base58. Null for any other request.
 */
export type SignDemo = (chain: NamedWallet["chain"], request: string | DemoTransfer) => Promise<string | null>;

/** The props that a page passes to every component that uses wallets. */
export interface WalletAccess {
  settings: WalletSettings;
  /** Null where there is no demo wallet. */
  demo: DemoWallets | null;
  signDemo: SignDemo;
}
