// The sandbox's demo wallets, in both wallet lists: they sign automatically, so that a person without a wallet can try everything.
// The demo wallet's keys stay on the server, which signs for it: texts of this service, transfers of test USDC to the owner's deposit
// address, and approvals of test USDC for payments here. The new test wallet's keys stay in this browser; the faucet gives it what its fees cost.

import type { DemoWallets, NamedWallet, SignDemo } from "@/lib/console/views/wallet";
import { createDemoMemory, type DemoMemory } from "./demo-memory";
import type { DemoSigner } from "./demo-signer";
import { newWallet, usedWallet } from "./demo-wallet-badge";
import { announceEvmDemo } from "./demo-wallet-evm";
import { registerSolanaDemo } from "./demo-wallet-solana";

/** Announces the demo wallets to this page, once. */
export function offerDemoWallets({ evm, solana, chainId }: DemoWallets, sign: SignDemo): void {
  const root = document.documentElement;
  if (root.hasAttribute("data-demo-wallet")) return;
  root.setAttribute("data-demo-wallet", "");
  const memory = createDemoMemory();
  announceEvmDemo(usedWallet, memory, { chainId, ...serverSigner("evm", evm.address, sign) });
  announceEvmDemo(newWallet, memory, { chainId, ...newEvmSigner(memory, chainId) });
  registerSolanaDemo(usedWallet, memory, serverSigner("solana", solana.address, sign));
  // Browsers have it on secure origins only.
  if (crypto.subtle) registerSolanaDemo(newWallet, memory, newSolanaSigner(memory));
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

function newEvmSigner(memory: DemoMemory, chainId: number): DemoSigner {
  const account = async () => (await import("./new-evm-key")).newEvmAccount(memory);
  return {
    address: async () => (await account()).address,
    sign: async (text) => (await account()).signMessage({ message: text }),
    pay: async (transfer) => {
      if (transfer.chain !== "evm") throw new Error("This wallet sends on Ethereum's chains only");
      return (await import("./new-evm-key")).sendFromNewEvm(memory, chainId, transfer);
    },
  };
}

function newSolanaSigner(memory: DemoMemory): DemoSigner {
  const key = async () => (await import("./new-solana-key")).newSolanaKey(memory);
  return {
    address: async () => (await key()).address,
    sign: async (text) => (await key()).sign(text),
    pay: async (transfer) => {
      if (transfer.chain !== "solana") throw new Error("This wallet signs Solana's transactions only");
      return (await key()).signTransaction(transfer.transaction);
    },
  };
}
