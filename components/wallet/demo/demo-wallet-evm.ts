// The demo wallet as an EIP-1193 provider that announces itself (EIP-6963).

import { hexToString, numberToHex } from "viem";
import type { DemoTransfer } from "@/lib/console/views/wallet";
import { ANNOUNCE, type AnnouncedProvider, type EvmProvider, REQUEST } from "../announced-providers";
import type { DemoMemory } from "./demo-memory";
import type { DemoSigner } from "./demo-signer";
import type { DemoBadge } from "./demo-wallet-badge";

interface EvmDemo extends DemoSigner {
  chainId: number;
}

export function announceEvmDemo({ id, name, icon }: DemoBadge, memory: DemoMemory, demo: EvmDemo): void {
  const detail: AnnouncedProvider = Object.freeze({
    info: { uuid: crypto.randomUUID(), name, icon, rdns: id },
    provider: createProvider(id, memory, demo),
  });
  const announce = () => window.dispatchEvent(new CustomEvent(ANNOUNCE, { detail }));
  window.addEventListener(REQUEST, announce);
  announce();
}

/** EIP-1193's code for a method that a wallet does not have. */
const UNSUPPORTED = 4200;

function createProvider(id: string, { recall, remember }: DemoMemory, { address, chainId, sign, pay }: EvmDemo): EvmProvider {
  // Across visits, as in a real wallet.
  const connection = `evm:${id}`;
  const connect = async () => {
    remember(connection, "yes");
    return [await address()];
  };
  const methods: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_requestAccounts: connect,
    wallet_requestPermissions: async () => [
      { parentCapability: "eth_accounts", caveats: [{ type: "restrictReturnedAccounts", value: await connect() }] },
    ],
    wallet_revokePermissions: () => {
      remember(connection, null);
      return null;
    },
    // Empty until it is connected: otherwise wallet lists skip the choice.
    eth_accounts: async () => (recall(connection) === null ? [] : [await address()]),
    eth_chainId: () => numberToHex(chainId),
    net_version: () => `${chainId}`,
    wallet_switchEthereumChain: () => null,
    wallet_addEthereumChain: () => null,
    personal_sign: ([text]) => sign(textOf(`${text}`)),
    eth_sendTransaction: ([transaction]) => pay(readTransfer(transaction)),
    // Like real wallets, it reads from its chain what it does not know itself.
    eth_getBlockByNumber: (params) => askChain("eth_getBlockByNumber", params),
  };
  return {
    request: async ({ method, params = [] }) => {
      const answer = methods[method];
      if (!answer) throw Object.assign(new Error(`The demo wallet has no ${method}`), { code: UNSUPPORTED });
      return answer(params);
    },
    on: () => undefined,
    removeListener: () => undefined,
  };
}

/** Texts arrive as hex or as plain text. */
const textOf = (data: string): string => (/^0x([0-9a-f]{2})*$/i.test(data) ? hexToString(data as `0x${string}`) : data);

function readTransfer(transaction: unknown): DemoTransfer {
  const { to, data, value } = Object(transaction) as Record<string, unknown>;
  return { chain: "evm", to: `${to}`, data: `${data ?? "0x"}`, ...(value === undefined ? {} : { value: `${value}` }) };
}

/** The answer of the sandbox's chain, asked through this service. @throws Error with its words */
export async function askChain<Result>(method: string, params: readonly unknown[]): Promise<Result> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch("/api/rpc/base", { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error } = await answer.json();
  if (error) throw new Error(String(error.message));
  return result;
}
