// An Ethereum wallet as an extension would put it into every page: it announces itself (EIP-6963), shows its address once it was
// connected, and signs with a real key that stays out of the page.

import type { BrowserContext } from "@playwright/test";
import { newWallet, type TestWallet } from "@/lib/console/testing/wallets";
import { type ExtensionWallet, icon, Refusals, type WalletAnswer } from "./extension-wallet";

interface Call {
  method: string;
  params?: readonly unknown[];
}

const UNSUPPORTED = 4200;

interface EvmWalletOptions {
  name?: string;
  keys?: TestWallet;
  /** The chain that the wallet is on when it comes. */
  chainId?: number;
}

/** Puts the wallet into every page of `context` that opens from now on. */
export async function installEvmWallet(
  context: BrowserContext,
  { name = "Test Fox", keys = newWallet("evm"), chainId = 1 }: EvmWalletOptions = {},
): Promise<ExtensionWallet> {
  const refusals = new Refusals();
  const signed: string[] = [];
  const state = { keys, isConnected: false };
  const connect = () => {
    refusals.check("connect");
    state.isConnected = true;
    return [state.keys.address];
  };
  const methods: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_requestAccounts: connect,
    wallet_requestPermissions: () => [
      { parentCapability: "eth_accounts", caveats: [{ type: "restrictReturnedAccounts", value: connect() }] },
    ],
    wallet_revokePermissions: () => {
      state.isConnected = false;
      return null;
    },
    eth_accounts: () => (state.isConnected ? [state.keys.address] : []),
    eth_chainId: () => `0x${chainId.toString(16)}`,
    net_version: () => `${chainId}`,
    personal_sign: async ([data, account]) => {
      refusals.check("sign");
      if (`${account}`.toLowerCase() !== state.keys.address.toLowerCase()) throw new Error("that account is not selected");
      const text = textOf(`${data}`);
      signed.push(text);
      return state.keys.sign(text);
    },
  };
  const answer = async ({ method, params = [] }: Call): Promise<WalletAnswer> => {
    const act = methods[method];
    if (!act) return { error: { code: UNSUPPORTED, message: `no ${method} here` } };
    return refusals.answer(async () => act(params));
  };
  const rdns = `example.${name.toLowerCase().replaceAll(" ", "-")}`;
  await context.exposeBinding(rdns, (_source, call: Call) => answer(call));
  await context.addInitScript(announce, { rdns, name, icon: icon("#2f6bb0") });
  return {
    name,
    signed,
    keys: () => state.keys,
    decline: (what) => refusals.add(what),
    switchTo: async (next) => {
      state.keys = next;
      for (const page of context.pages()) {
        await page.evaluate(({ rdns, accounts }) => window.dispatchEvent(new CustomEvent(`${rdns} accounts`, { detail: accounts })), {
          rdns,
          accounts: state.isConnected ? [next.address] : [],
        });
      }
    },
  };
}

/** Texts come as hex, or as they are. */
const textOf = (data: string): string => (/^0x([0-9a-f]{2})*$/i.test(data) ? Buffer.from(data.slice(2), "hex").toString("utf8") : data);

/** Runs in the page, before its own scripts. */
function announce({ rdns, name, icon }: { rdns: string; name: string; icon: string }): void {
  const ask: (call: object) => Promise<WalletAnswer> = Reflect.get(window, rdns);
  const listeners = new Map<string, Set<(value: unknown) => void>>();
  const provider = {
    request: async (call: object) => {
      const answer = await ask(call);
      if ("error" in answer) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
      return answer.result;
    },
    on: (event: string, listener: (value: unknown) => void) => {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    removeListener: (event: string, listener: (value: unknown) => void) => {
      listeners.get(event)?.delete(listener);
    },
  };
  window.addEventListener(`${rdns} accounts`, (event) => {
    if (event instanceof CustomEvent) for (const listener of listeners.get("accountsChanged") ?? []) listener(event.detail);
  });
  const detail = Object.freeze({ info: { uuid: "9d8f0c1e-6f6e-4c53-9d5c-6d7c1c1a0b7e", name, icon, rdns }, provider });
  const show = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", show);
  show();
}
