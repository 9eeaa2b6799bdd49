// The part of the Solana wallet that runs in the page, before the page's own scripts. Its functions are sent there as text, so they
// can reference only each other.

import type { WalletAnswer } from "./extension-wallet";

export interface PageAccount {
  address: string;
  publicKey: number[];
}

interface PageWallet {
  /** Name of the function that calls the wallet in Node. */
  binding: string;
  name: string;
  icon: string;
  /** It has `solana:signIn`, and composes the text itself. */
  writesText: boolean;
}

/** The script that registers the wallet. */
export const pageScript = (wallet: PageWallet): string =>
  `{ ${createAsk}\n${createAccounts}\n${standardFeatures}\n${signingFeatures}\n${register}\nregister(${JSON.stringify(wallet)}); }`;

type Ask = (request: object) => Promise<unknown>;
type Accounts = ReturnType<typeof createAccounts>;

function createAsk(binding: string): Ask {
  const call: (request: object) => Promise<WalletAnswer> = Reflect.get(window, binding);
  return async (request) => {
    const answer = await call(request);
    if ("error" in answer) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
    return answer.result;
  };
}

/** The accounts that this page sees, and the listeners for a change. */
function createAccounts(features: readonly string[]) {
  type Listener = (change: { accounts: object[] }) => void;
  const listeners = new Set<Listener>();
  const state: { accounts: object[] } = { accounts: [] };
  return {
    list: () => state.accounts,
    listen: (listener: Listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    show: (accounts: PageAccount[]) => {
      state.accounts = accounts.map(({ address, publicKey }) => ({
        address,
        publicKey: new Uint8Array(publicKey),
        chains: ["solana:mainnet"],
        features,
      }));
      for (const listener of listeners) listener({ accounts: state.accounts });
      return { accounts: state.accounts };
    },
  };
}

function standardFeatures(ask: Ask, accounts: Accounts): Record<string, object> {
  return {
    "standard:connect": {
      version: "1.0.0",
      connect: async ({ silent = false } = {}) => accounts.show((await ask({ action: "connect", silent })) as PageAccount[]),
    },
    "standard:disconnect": {
      version: "1.0.0",
      disconnect: async () => {
        await ask({ action: "disconnect" });
        accounts.show([]);
      },
    },
    "standard:events": { version: "1.0.0", on: (_event: string, listener: Parameters<Accounts["listen"]>[0]) => accounts.listen(listener) },
  };
}

function signingFeatures(ask: Ask, accounts: Accounts, writesText: boolean): Record<string, object> {
  const bytesOf = (value: unknown) => new Uint8Array(value as number[]);
  const signMessage = async ({ message }: { message: Uint8Array }) => {
    const signature = await ask({ action: "signMessage", bytes: [...message] });
    return [{ signedMessage: message, signature: bytesOf(signature) }];
  };
  const signIn = async (input: object) => {
    const answer = (await ask({ action: "signIn", input })) as { account: PageAccount; bytes: number[]; signature: number[] };
    accounts.show([answer.account]);
    return [{ account: accounts.list()[0], signedMessage: bytesOf(answer.bytes), signature: bytesOf(answer.signature) }];
  };
  const signTransaction = async () => {
    throw new Error("nothing here is to be sent");
  };
  return {
    "solana:signMessage": { version: "1.1.0", signMessage },
    "solana:signTransaction": { version: "1.0.0", supportedTransactionVersions: ["legacy", 0], signTransaction },
    ...(writesText ? { "solana:signIn": { version: "1.0.0", signIn } } : {}),
  };
}

function register({ binding, name, icon, writesText }: PageWallet): void {
  const ask = createAsk(binding);
  const accounts = createAccounts(["solana:signMessage", "solana:signTransaction"]);
  const features = { ...standardFeatures(ask, accounts), ...signingFeatures(ask, accounts, writesText) };
  const wallet = {
    version: "1.0.0",
    name,
    icon,
    chains: ["solana:mainnet"],
    features,
    get accounts() {
      return accounts.list();
    },
  };
  // Pages that are not connected do not learn which account is selected.
  window.addEventListener(`${binding} account`, (event) => {
    if (event instanceof CustomEvent && accounts.list().length > 0) accounts.show([event.detail]);
  });
  const join = (api: { register: (wallet: object) => void }) => api.register(wallet);
  window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: join }));
  window.addEventListener("wallet-standard:app-ready", (event) => join(Reflect.get(event, "detail")));
}
