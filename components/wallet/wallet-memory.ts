// Which wallet of this browser was used last, so that the console watches only that one.

import type { NamedWallet } from "@/lib/console/views/wallet";

const NAME = "wallet-used";

export interface UsedWallet {
  chain: NamedWallet["chain"];
  /** An Ethereum wallet's EIP-6963 reverse domain name, or a Solana wallet's name. */
  id: string;
}

export function rememberWallet(wallet: UsedWallet): void {
  try {
    localStorage.setItem(NAME, `${wallet.chain}:${wallet.id}`);
  } catch {
    // no storage in this browser: then no wallet is watched either
  }
}

export function recallWallet(): UsedWallet | null {
  try {
    const [, chain, id] = /^(evm|solana):(.+)$/.exec(localStorage.getItem(NAME) ?? "") ?? [];
    return id && (chain === "evm" || chain === "solana") ? { chain, id } : null;
  } catch {
    return null; // no storage in this browser
  }
}
