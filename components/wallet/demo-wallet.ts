// The sandbox's demo wallet, in both lists of wallets: it signs by itself, so that somebody without a wallet gets through. Its
// keys stay on the server, which signs for it.

import { announceEvmDemo } from "./demo-wallet-evm";
import { registerSolanaDemo } from "./demo-wallet-solana";

export interface DemoWallets {
  evm: { address: string };
  solana: { address: string };
  chainId: number;
}

/** Signs a text with one of the demo wallet's keys: 0x… on Ethereum, base58 on Solana. */
export type SignDemo = (chain: "evm" | "solana", text: string) => Promise<string>;

/** Shows the demo wallet to this page; once is enough. */
export function offerDemoWallets({ evm, solana, chainId }: DemoWallets, sign: SignDemo): void {
  const root = document.documentElement;
  if (root.hasAttribute("data-demo-wallet")) return;
  root.setAttribute("data-demo-wallet", "");
  announceEvmDemo({ address: evm.address, chainId, sign: (text) => sign("evm", text) });
  registerSolanaDemo({ address: solana.address, sign: (text) => sign("solana", text) });
}
