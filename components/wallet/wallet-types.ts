// Results of the wallet components, and when two wallets are the same.

import type { NamedWallet } from "@/lib/console/views/wallet";

export interface ConnectedWallet extends NamedWallet {
  /** The wallet's own name. */
  name: string;
  /** How this browser finds it again (see wallet-memory.ts). */
  id: string;
}

export interface SignedChallenge extends NamedWallet {
  nonce: string;
  /** The text that the wallet signed. */
  message: string;
  /** 0x… of an Ethereum wallet, base58 of a Solana wallet. */
  signature: string;
}

/** Ethereum addresses are case-insensitive. */
export const isSameWallet = (one: NamedWallet, other: NamedWallet): boolean =>
  one.chain === other.chain &&
  (one.chain === "evm" ? one.address.toLowerCase() === other.address.toLowerCase() : one.address === other.address);
