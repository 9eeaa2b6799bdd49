// The sandbox's demo wallet, in both wallet lists: it signs automatically, so that a person without a wallet can try everything. Its
// keys stay on the server, which signs for it: texts of this service, transfers of test USDC to the owner's deposit address, and
// approvals of test USDC for payments here.

import type { DemoTransfer, DemoWallets, NamedWallet, SignDemo } from "@/lib/console/views/wallet";
import { announceEvmDemo } from "./demo-wallet-evm";
import { registerSolanaDemo } from "./demo-wallet-solana";

/** Announces the demo wallet to this page; call it once. */
export function offerDemoWallets({ evm, solana, chainId }: DemoWallets, sign: SignDemo): void {
  const root = document.documentElement;
  if (root.hasAttribute("data-demo-wallet")) return;
  root.setAttribute("data-demo-wallet", "");
  const signer = (chain: NamedWallet["chain"]) => async (text: string) => {
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
