// The sandbox's demo wallet, in both lists of wallets: it signs by itself, so that somebody without a wallet gets through. Its
// keys stay on the server, which signs for it: texts of this service, transfers of test USDC to one's own deposit address, and
// approvals of it for payments here.

import { announceEvmDemo } from "./demo-wallet-evm";
import { registerSolanaDemo } from "./demo-wallet-solana";
import type { DemoTransfer } from "./wallet-types";

export interface DemoWallets {
  evm: { address: string };
  solana: { address: string };
  chainId: number;
}

/**
 * Signs a text with one of the demo wallet's keys: 0x… on Ethereum, base58 on Solana. Sends a transfer on Ethereum, which gives its
 * hash; signs one on Solana, which gives the signature, base58. Null for whatever else it is asked.
 */
export type SignDemo = (chain: "evm" | "solana", request: string | DemoTransfer) => Promise<string | null>;

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
  const pay = async (transfer: DemoTransfer) => {
    const paid = await sign(transfer.chain, transfer);
    if (paid === null)
      throw new Error("The demo wallet sends test USDC to your own deposit address, and approves payments here; nothing else");
    return paid;
  };
  announceEvmDemo({ address: evm.address, chainId, sign: signer("evm"), pay });
  registerSolanaDemo({ address: solana.address, sign: signer("solana"), pay });
}
