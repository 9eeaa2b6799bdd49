// The sandbox's demo wallets, in both wallet lists: they sign automatically, so that a person without a wallet can try everything.
// The demo wallet's keys stay on the server, which signs for it: texts of this service, transfers of test USDC to the owner's deposit
// address, and approvals of test USDC for payments here. The new test wallet's keys stay in this browser, and it holds nothing.

import type { DemoWallets, NamedWallet, SignDemo } from "@/lib/console/views/wallet";
import type { DemoSigner } from "./demo-signer";
import { newWallet, usedWallet } from "./demo-wallet-badge";
import { announceEvmDemo } from "./demo-wallet-evm";
import { registerSolanaDemo } from "./demo-wallet-solana";

/** Announces the demo wallets to this page, once. */
export function offerDemoWallets({ evm, solana, chainId }: DemoWallets, sign: SignDemo): void {
  const root = document.documentElement;
  if (root.hasAttribute("data-demo-wallet")) return;
  root.setAttribute("data-demo-wallet", "");
  announceEvmDemo(usedWallet, { chainId, ...serverSigner("evm", evm.address, sign) });
  announceEvmDemo(newWallet, { chainId, ...newEvmSigner });
  registerSolanaDemo(usedWallet, serverSigner("solana", solana.address, sign));
  // Browsers have it on secure origins only.
  if (crypto.subtle) registerSolanaDemo(newWallet, newSolanaSigner);
}

function serverSigner(chain: NamedWallet["chain"], address: string, sign: SignDemo): DemoSigner {
  return {
    address: async () => address,
    sign: async (text) => {
      const signature = await sign(chain, text);
      if (signature === null) throw new Error("The demo wallet signs this service's own texts only");
      return signature;
    },
    pay: async (transfer) => {
      const paid = await sign(transfer.chain, transfer);
      if (paid === null)
        throw new Error("The demo wallet sends test USDC to your own deposit address, and approves payments here; nothing else");
      return paid;
    },
  };
}

const payNothing = async (): Promise<string> => {
  throw new Error("insufficient funds for gas: the new test wallet is empty");
};

const evmAccount = async () => (await import("./new-evm-key")).newEvmAccount();

const newEvmSigner: DemoSigner = {
  address: async () => (await evmAccount()).address,
  sign: async (text) => (await evmAccount()).signMessage({ message: text }),
  pay: payNothing,
};

const solanaKey = async () => (await import("./new-solana-key")).newSolanaKey();

const newSolanaSigner: DemoSigner = {
  address: async () => (await solanaKey()).address,
  sign: async (text) => (await solanaKey()).sign(text),
  pay: payNothing,
};
