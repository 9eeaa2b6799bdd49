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
