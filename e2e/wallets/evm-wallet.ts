// An Ethereum wallet as an extension would inject it into every page: it announces itself (EIP-6963), shows its address once it is
// connected, and signs with a real key that stays out of the page.

import type { BrowserContext } from "@playwright/test";
import { newWallet, type TestWallet } from "@/lib/console/testing/wallets";
import { type ExtensionWallet, icon, Refusals, type WalletAnswer } from "./extension-wallet";

interface Call {
  method: string;
  params?: readonly unknown[];
}

type Methods = Record<string, (params: readonly unknown[]) => unknown>;

const UNSUPPORTED = 4200;

interface EvmWalletOptions {
  name?: string;
  keys?: TestWallet;
  /** The chain that the wallet is on initially. */
  chainId?: number;
  /** The node URL that it has for chain 31337; without one it learns it when a page wants it to switch. */
  knows?: string;
}

/** A wallet that pages can ask to send, and to switch its network. */
export interface SendingWallet extends ExtensionWallet {
  /** Every transaction requested from it, including declined ones. */
  asked: readonly Record<string, unknown>[];
  /** Every network that pages have added to it. */
  told: readonly Record<string, unknown>[];
  /** The person selects another network; open pages are notified as wallets do it. */
  changeNetwork: (chainId: number) => Promise<void>;
}

const SANDBOX_CHAIN = "0x7a69";
const UNKNOWN_CHAIN = 4902;

/** Injects the wallet into every page of `context` that opens from now on. */
export async function installEvmWallet(
  context: BrowserContext,
  { name = "Test Fox", keys = newWallet("evm"), chainId = 1, knows }: EvmWalletOptions = {},
): Promise<SendingWallet> {
  const refusals = new Refusals();
  const signed: string[] = [];
  const asked: Record<string, unknown>[] = [];
  const told: Record<string, unknown>[] = [];
  const state: WalletState = { keys, isConnected: false, chainId: `0x${chainId.toString(16)}`, node: knows };
  const connect = () => {
    refusals.check("connect");
    state.isConnected = true;
    return [state.keys.address];
  };
  const methods: Methods = {
    eth_requestAccounts: connect,
    wallet_requestPermissions: () => [
      { parentCapability: "eth_accounts", caveats: [{ type: "restrictReturnedAccounts", value: connect() }] },
    ],
    wallet_revokePermissions: () => {
      state.isConnected = false;
      return null;
    },
    eth_accounts: () => (state.isConnected ? [state.keys.address] : []),
    eth_chainId: () => state.chainId,
    net_version: () => `${Number(state.chainId)}`,
    ...sendingMethods(state, { refusals, asked, told }),
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
    asked,
    told,
    changeNetwork: async (next) => {
      state.chainId = `0x${next.toString(16)}`;
      await notifyPages(context, `${rdns} network`, state.chainId);
    },
    keys: () => state.keys,
    decline: (what) => refusals.add(what),
    switchTo: async (next) => {
      state.keys = next;
      await notifyPages(context, `${rdns} accounts`, state.isConnected ? [next.address] : []);
    },
  };
}

async function notifyPages(context: BrowserContext, event: string, detail: unknown): Promise<void> {
  for (const page of context.pages())
    await page.evaluate(({ event, detail }) => window.dispatchEvent(new CustomEvent(event, { detail })), { event, detail });
}

interface WalletState {
  keys: TestWallet;
  isConnected: boolean;
  /** Hex. */
  chainId: string;
  node: string | undefined;
}

interface Journal {
  refusals: Refusals;
  asked: Record<string, unknown>[];
  told: Record<string, unknown>[];
}

/** Switching its network, and sending. */
function sendingMethods(state: WalletState, { refusals, asked, told }: Journal): Methods {
  return {
    wallet_switchEthereumChain: ([wanted]) => {
      refusals.check("switch");
      const id = `${Reflect.get(Object(wanted), "chainId")}`;
      if (id === SANDBOX_CHAIN && !state.node) throw Object.assign(new Error("Unrecognized chain ID"), { code: UNKNOWN_CHAIN });
      state.chainId = id;
      return null;
    },
    wallet_addEthereumChain: ([network]) => {
      told.push(Object(network));
      state.node = `${Reflect.get(Object(network), "rpcUrls")[0]}`;
      state.chainId = `${Reflect.get(Object(network), "chainId")}`;
      return null;
    },
    eth_getBlockByNumber: (params) => callNode(state, "eth_getBlockByNumber", params),
    eth_sendTransaction: async ([transaction]) => {
      asked.push(Object(transaction));
      refusals.check("sign");
      // Its key has gas money on that chain, and the node lets it send without a signature.
      await callNode(state, "anvil_impersonateAccount", [state.keys.address]);
      return callNode(state, "eth_sendTransaction", [transaction]);
    },
  };
}

/** The answer of the node of the wallet's chain; it has no node of a public chain. */
async function callNode({ chainId, node }: WalletState, method: string, params: readonly unknown[]) {
  if (chainId !== SANDBOX_CHAIN || !node) throw new Error("no node of this chain is known");
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(node, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error } = await answer.json();
  if (error) throw new Error(error.message);
  return result;
}

/** Texts arrive as hex or as plain text. */
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
  for (const [news, name] of [
    [`${rdns} accounts`, "accountsChanged"],
    [`${rdns} network`, "chainChanged"],
  ] as const) {
    window.addEventListener(news, (event) => {
      if (event instanceof CustomEvent) for (const listener of listeners.get(name) ?? []) listener(event.detail);
    });
  }
  const detail = Object.freeze({ info: { uuid: "9d8f0c1e-6f6e-4c53-9d5c-6d7c1c1a0b7e", name, icon, rdns }, provider });
  const show = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", show);
  show();
}
