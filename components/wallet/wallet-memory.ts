// Which wallet of this browser was used last, so that the console can watch that one and no other.

import type { NamedWallet } from "@/lib/console/views/wallet";

const NAME = "wallet-used";

export interface UsedWallet {
  chain: NamedWallet["chain"];
  /** EIP-6963's reverse domain name of an Ethereum wallet, the name of a Solana wallet. */
  id: string;
}

export function rememberWallet(wallet: UsedWallet): void {
  try {
    localStorage.setItem(NAME, `${wallet.chain}:${wallet.id}`);
  } catch {
    // a browser that keeps nothing: then nothing is watched either
  }
}

export function recallWallet(): UsedWallet | null {
  try {
    const [, chain, id] = /^(evm|solana):(.+)$/.exec(localStorage.getItem(NAME) ?? "") ?? [];
    return id && (chain === "evm" || chain === "solana") ? { chain, id } : null;
  } catch {
    return null; // a browser that keeps nothing
  }
}
