// What the wallet components give back, and when two wallets are one.

import type { NamedWallet } from "@/lib/console/views/wallet";

export interface ConnectedWallet extends NamedWallet {
  /** How the wallet calls itself. */
  name: string;
  /** How this browser finds it again (see wallet-memory.ts). */
  id: string;
}

export interface SignedChallenge extends NamedWallet {
  nonce: string;
  /** The text as the wallet signed it. */
  message: string;
  /** 0x… of an Ethereum wallet, base58 of a Solana wallet. */
  signature: string;
}

/** Ethereum addresses are the same in either case. */
export const isSameWallet = (one: NamedWallet, other: NamedWallet): boolean =>
  one.chain === other.chain &&
  (one.chain === "evm" ? one.address.toLowerCase() === other.address.toLowerCase() : one.address === other.address);
