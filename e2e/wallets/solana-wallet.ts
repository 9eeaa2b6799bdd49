// A Solana wallet as an extension would inject it into every page: it registers itself (Wallet Standard), shows its account once it
// is connected in that page, and signs with a real key that stays out of the page.

import type { BrowserContext } from "@playwright/test";
import { base58 } from "@scure/base";
import { newWallet, type TestWallet } from "@/lib/console/testing/wallets";
import { type ExtensionWallet, icon, Refusals } from "./extension-wallet";
import { type PageAccount, pageScript } from "./solana-wallet-page";

type Call =
  | { action: "connect"; silent: boolean }
  | { action: "disconnect" }
  | { action: "signMessage"; bytes: number[] }
  | { action: "signIn"; input: Record<string, string> };

interface SolanaWalletOptions {
  name?: string;
  keys?: TestWallet;
  /** It has `solana:signIn`, and composes the text itself. */
  writesText?: boolean;
}

/** Injects the wallet into every page of `context` that opens from now on. */
export async function installSolanaWallet(
  context: BrowserContext,
  { name = "Test Ghost", keys = newWallet("solana"), writesText = false }: SolanaWalletOptions = {},
): Promise<ExtensionWallet> {
  const refusals = new Refusals();
  const signed: string[] = [];
  const state = { keys, isTrusted: false };
  const account = (): PageAccount => ({ address: state.keys.address, publicKey: [...base58.decode(state.keys.address)] });
  const sign = async (text: string) => {
    refusals.check("sign");
    signed.push(text);
    return [...base58.decode(await state.keys.sign(text))];
  };
  const act = async (call: Call): Promise<unknown> => {
    switch (call.action) {
      case "connect":
        if (call.silent) return state.isTrusted ? [account()] : [];
        refusals.check("connect");
        state.isTrusted = true;
        return [account()];
      case "disconnect":
        return null;
      case "signMessage":
        return sign(Buffer.from(call.bytes).toString("utf8"));
      case "signIn": {
        const text = signInText(call.input, state.keys.address);
        return { account: account(), bytes: [...Buffer.from(text)], signature: await sign(text) };
      }
    }
  };
  const binding = name.replaceAll(" ", "");
  await context.exposeBinding(binding, (_source, call: Call) => refusals.answer(() => act(call)));
  await context.addInitScript({ content: pageScript({ binding, name, icon: icon("#7a4fb0"), writesText }) });
  return {
    name,
    signed,
    keys: () => state.keys,
    decline: (what) => refusals.add(what),
    switchTo: async (next) => {
      state.keys = next;
      const detail = account();
      for (const page of context.pages()) {
        await page.evaluate(({ binding, detail }) => window.dispatchEvent(new CustomEvent(`${binding} account`, { detail })), {
          binding,
          detail,
        });
      }
    },
  };
}

/** Sign-In With Solana's text, as wallets compose it. */
function signInText({ domain, address, statement, ...fields }: Record<string, string>, own: string): string {
  const labels = {
    uri: "URI",
    version: "Version",
    chainId: "Chain ID",
    nonce: "Nonce",
    issuedAt: "Issued At",
    expirationTime: "Expiration Time",
  };
  const lines = Object.entries(labels).flatMap(([field, label]) => (fields[field] ? [`${label}: ${fields[field]}`] : []));
  return [`${domain} wants you to sign in with your Solana account:`, address ?? own, "", statement, "", ...lines].join("\n");
}
