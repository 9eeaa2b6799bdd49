// The demo wallet as a Wallet Standard wallet.

import { base58 } from "@scure/base";
import {
  SolanaSignMessage,
  type SolanaSignMessageFeature,
  SolanaSignTransaction,
  type SolanaSignTransactionFeature,
} from "@solana/wallet-standard-features";
import type { Wallet, WalletAccount } from "@wallet-standard/base";
import {
  StandardConnect,
  type StandardConnectFeature,
  StandardDisconnect,
  type StandardDisconnectFeature,
  StandardEvents,
  type StandardEventsFeature,
  type StandardEventsListeners,
} from "@wallet-standard/features";
import { registerWallet } from "@wallet-standard/wallet";
import type { DemoMemory } from "./demo-memory";
import type { DemoSigner } from "./demo-signer";
import type { DemoBadge } from "./demo-wallet-badge";

type Features = StandardConnectFeature &
  StandardDisconnectFeature &
  StandardEventsFeature &
  SolanaSignMessageFeature &
  SolanaSignTransactionFeature;

const chains = ["solana:mainnet"] as const;

export function registerSolanaDemo(
  { id, name, icon }: DemoBadge,
  { recall, remember }: DemoMemory,
  { address, sign, pay }: DemoSigner,
): void {
  // Across visits, as in a real wallet.
  const connection = `solana:${id}`;
  let accounts: readonly WalletAccount[] = [];
  const listeners = new Set<StandardEventsListeners["change"]>();
  const show = (shown: readonly WalletAccount[]) => {
    accounts = shown;
    for (const listener of listeners) listener({ accounts });
    return { accounts };
  };
  const features: Features = {
    [StandardConnect]: {
      version: "1.0.0",
      connect: async ({ silent = false } = {}) => {
        if (silent && recall(connection) === null) return show([]);
        remember(connection, "yes");
        return show(accounts.length > 0 ? accounts : [accountOf(await address())]);
      },
    },
    [StandardDisconnect]: {
      version: "1.0.0",
      disconnect: async () => {
        remember(connection, null);
        show([]);
      },
    },
    [StandardEvents]: {
      version: "1.0.0",
      on: (_event, listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    ...signingFeatures(sign, pay),
  };
  const wallet: Wallet = {
    version: "1.0.0",
    name,
    icon: icon as Wallet["icon"],
    chains,
    features,
    get accounts() {
      return accounts;
    },
  };
  registerWallet(wallet);
}

function signingFeatures(sign: DemoSigner["sign"], pay: DemoSigner["pay"]): SolanaSignMessageFeature & SolanaSignTransactionFeature {
  const signBytes = async (bytes: Uint8Array) => base58.decode(await sign(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  const payBytes = async (bytes: Uint8Array) =>
    withSignature(bytes, base58.decode(await pay({ chain: "solana", transaction: toBase64(bytes) })));
  return {
    [SolanaSignMessage]: {
      version: "1.1.0",
      signMessage: async (...inputs) =>
        Promise.all(inputs.map(async ({ message }) => ({ signedMessage: message, signature: await signBytes(message) }))),
    },
    [SolanaSignTransaction]: {
      version: "1.0.0",
      supportedTransactionVersions: ["legacy"],
      signTransaction: async (...inputs) =>
        Promise.all(inputs.map(async ({ transaction }) => ({ signedTransaction: await payBytes(transaction) }))),
    },
  };
}

const accountOf = (address: string): WalletAccount => ({
  address,
  publicKey: base58.decode(address),
  chains,
  features: [SolanaSignMessage, SolanaSignTransaction],
});

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** For a transaction with one signer: a count, the signature, and the signed message. */
function withSignature(transaction: Uint8Array, signature: Uint8Array): Uint8Array {
  const signed = transaction.slice();
  signed.set(signature, 1);
  return signed;
}
