// Wallets for tests: real random keys.

import type { Proof } from "@/lib/access/proofs";
import type { WalletChain } from "@/lib/chains/wallet";
import { createDemoKeys, demoSigners } from "@/lib/sandbox/demo-wallets";

export interface TestWallet {
  chain: WalletChain;
  address: string;
  sign: (text: string) => Promise<string>;
}

export const newWallet = (chain: WalletChain): TestWallet => ({ chain, ...demoSigners(createDemoKeys())[chain] });

/** The proof that an honest client sends for a challenge. */
export async function prove({ chain, address, sign }: TestWallet, { nonce, text }: { nonce: string; text: string }): Promise<Proof> {
  return { nonce, chain, address, message: text, signature: await sign(text) };
}
