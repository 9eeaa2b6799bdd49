// A person's wallet: a chain and an address on it, in the canonical form that is stored and compared.

import { base58 } from "@scure/base";
import { getAddress } from "viem";

/** An EVM wallet has the same address on all EVM chains. */
export const walletChains = ["evm", "solana"] as const;
export type WalletChain = (typeof walletChains)[number];

export interface Wallet {
  chain: WalletChain;
  /** Lower-case hex on EVM chains, base58 on Solana. */
  address: string;
}

/** The form of an address; isAddress of viem, which also checks a checksum, keeps every text that it is asked about for a while. */
const evmForm = /^0x[0-9a-fA-F]{40}$/;

const SOLANA_KEY_BYTES = 32;

/** The wallet with address `text` on `chain`, in canonical form; null when the address is invalid there. */
export function readWallet(chain: WalletChain, text: string): Wallet | null {
  if (chain === "evm") return evmForm.test(text) ? { chain, address: text.toLowerCase() } : null;
  return solanaKey(text) ? { chain, address: text } : null;
}

/** The display form of an address: with its EIP-55 checksum on EVM chains. */
export const displayAddress = ({ chain, address }: Wallet): string => (chain === "evm" ? getAddress(address) : address);

export const isSameWallet = (one: Wallet, other: Wallet): boolean => one.chain === other.chain && one.address === other.address;

/** The 32 bytes of a Solana address, or null. Their base58 encoding is unique. */
export function solanaKey(address: string): Uint8Array | null {
  // Also bounds the work: decoding base58 takes quadratic time.
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return null;
  const bytes = base58.decode(address);
  return bytes.length === SOLANA_KEY_BYTES ? bytes : null;
}
