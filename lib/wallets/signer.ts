// The signer: what may be asked of whoever holds the seed. Each request is one of the product's own; it signs no bytes that it
// is handed. Only a process with the `jobs` role has one.

import type { Hex, Signature } from "viem";
import { once } from "@/lib/base/once";
import type { Transaction } from "@/lib/chains/evm/transactions";
import type { AttestedAddresses } from "./addresses";

/** Where swept USDC goes, and withdrawals come from: the operator's own addresses. */
export interface Treasury {
  base: Hex;
  /** The owner; pays the fees of our own transactions on Solana, so it holds SOL as well. */
  solana: string;
}

/** Pays the gas of transactions on Base, and owns no USDC. */
export interface Relayer {
  readonly address: Hex;
  /**
   * Signs a call of USDC on the service's own chain, without any value.
   * @throws Error when it is another transaction
   */
  signTransaction(transaction: Transaction): Promise<Signature>;
}

export interface Signer {
  /** BIP-32 fingerprint of the seed, 8 hexadecimal digits. */
  readonly fingerprint: string;
  /** Public half of m/44'/60'/0'/0. */
  readonly xpub: string;
  /** The Solana mint that its token accounts are for. */
  readonly usdcMint: string;
  readonly treasury: Treasury;
  readonly relayer: Relayer;
  /** The addresses of a derivation index, signed as this signer's. */
  makeAddresses(index: number): AttestedAddresses;
}

const holder = () => once<{ signer?: Signer }>("signer", () => ({}));

/** Gives this process its signer; undefined takes it away again. */
export function setSigner(signer: Signer | undefined): void {
  holder().signer = signer;
}

/** @throws Error in a process without the jobs role */
export function signer(): Signer {
  const { signer: held } = holder();
  if (!held) throw new Error("This process holds no seed: only one with ROLES=jobs does.");
  return held;
}
