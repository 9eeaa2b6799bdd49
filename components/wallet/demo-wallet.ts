// The sandbox's demo wallet, in both lists of wallets: it signs by itself, so that somebody without a wallet gets through. Its
// keys stay on the server, which signs for it.

import { announceEvmDemo } from "./demo-wallet-evm";
import { registerSolanaDemo } from "./demo-wallet-solana";

export interface DemoWallets {
  evm: { address: string };
  solana: { address: string };
  chainId: number;
}

/** Signs a text of this service with one of the demo wallet's keys: 0x… on Ethereum, base58 on Solana; null for any other text. */
export type SignDemo = (chain: "evm" | "solana", text: string) => Promise<string | null>;

/** Shows the demo wallet to this page; once is enough. */
export function offerDemoWallets({ evm, solana, chainId }: DemoWallets, sign: SignDemo): void {
  const root = document.documentElement;
  if (root.hasAttribute("data-demo-wallet")) return;
  root.setAttribute("data-demo-wallet", "");
  const signer = (chain: "evm" | "solana") => async (text: string) => {
    const signature = await sign(chain, text);
    if (signature === null) throw new Error("The demo wallet signs this service's own texts only");
    return signature;
  };
  announceEvmDemo({ address: evm.address, chainId, sign: signer("evm") });
  registerSolanaDemo({ address: solana.address, sign: signer("solana") });
}
