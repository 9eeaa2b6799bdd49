// The demo wallet of a sandbox: an EVM and a Solana wallet that sign by themselves, so that a person without an extension gets
// through. The sandbox sets it; in live mode there is none, and nothing here can make one.

import { once } from "@/lib/base/once";
import type { WalletChain } from "@/lib/chains/wallet";
import { ownDomain } from "./same-origin";

export interface DemoSigner {
  address: string;
  /** @returns hex on EVM chains, base58 on Solana */
  sign: (text: string) => Promise<string>;
}

type DemoSigners = Readonly<Record<WalletChain, DemoSigner>>;

const holder = () => once<{ signers?: DemoSigners }>("demo wallets", () => ({}));

/** Gives this process a demo wallet, or takes it away. Only the sandbox calls this. */
export function setDemoWallets(signers: DemoSigners | undefined): void {
  holder().signers = signers;
}

/** The demo wallet's addresses; null where there is none. */
export function demoWallets(): Record<WalletChain, { address: string }> | null {
  const { signers } = holder();
  return signers ? { evm: { address: signers.evm.address }, solana: { address: signers.solana.address } } : null;
}

/** Signs a text of ours that asks a wallet to sign in or to be linked, and no other; null where there is no demo wallet. */
export async function signWithDemoWallet(chain: WalletChain, text: string): Promise<string | null> {
  const signer = holder().signers?.[chain];
  return signer && text.startsWith(`${ownDomain()} wants you to sign in with your `) ? signer.sign(text) : null;
}
