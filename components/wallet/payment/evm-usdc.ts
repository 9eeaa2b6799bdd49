// Transactions of USDC that a page asks an Ethereum wallet for: never before the wallet has shown which chain it is on.

import { type Address, type Hex, numberToHex } from "viem";
import type { Config, Connector } from "wagmi";
import { getBlock, switchChain, waitForTransactionReceipt } from "wagmi/actions";
import type { EvmUsdc } from "@/lib/console/views/send-targets";
import type { EvmProvider } from "../announced-providers";
import { isObject } from "../wallet-error";
import { PaymentProblem, type Place } from "./paying-wallet";

const LOOKS_EVERY_MS = 1_500;
const MAX_WAIT_MS = 180_000;
const EXPLORER = "https://basescan.org";

/** Whether the wallet is on this service's chain now; in a sandbox on that very one, since other private chains have its number. */
export async function findPlace(config: Config, connector: Connector, { chainId, isSandbox, walletRpcUrl }: EvmUsdc): Promise<Place> {
  const name = config.chains.find(({ id }) => id === chainId)?.name ?? "our network";
  if ((await connector.getChainId()) !== chainId)
    return { kind: "elsewhere", canSwitch: true, problem: `This wallet is on another network. Switch it to ${name} to go on.` };
  if (!isSandbox) return { kind: "here" };
  const [own, its] = await Promise.all([getBlock(config, { chainId, blockNumber: 0n }), readFirstBlock(connector)]);
  if (own.hash === its) return { kind: "here" };
  const cure = walletRpcUrl ? ` In the wallet, give network ${chainId} the RPC address ${walletRpcUrl}, and load this page again.` : "";
  return {
    kind: "elsewhere",
    canSwitch: false,
    problem: `This wallet is on another chain that has the sandbox's number, ${chainId}.${cure}`,
  };
}

/** The hash of the first block of the chain that the wallet is on, as the wallet itself says. */
async function readFirstBlock(connector: Connector): Promise<unknown> {
  const provider = (await connector.getProvider()) as EvmProvider;
  const block = await provider.request({ method: "eth_getBlockByNumber", params: ["0x0", false] }).catch(() => null);
  return isObject(block) ? block.hash : null;
}

/** Asks the wallet to change to this service's chain. @throws the wallet's own error */
export async function switchToChain(config: Config, connector: Connector | undefined, { chainId, ...target }: EvmUsdc): Promise<void> {
  const rpcUrls = target.walletRpcUrl ? [target.walletRpcUrl] : [];
  const explorers = target.isSandbox ? [] : [EXPLORER];
  await switchChain(config, { chainId, connector, addEthereumChainParameter: { rpcUrls, blockExplorerUrls: explorers } });
}

export interface UsdcCall {
  config: Config;
  target: EvmUsdc;
  address: Address;
  connector: Connector;
  /** What USDC is to do. */
  data: Hex;
  /** In words, when the chain refused it. */
  refused: string;
}

/**
 * Has the wallet send a call of USDC; resolves when the chain has it. `onSent` is told the transaction's hash before.
 * @throws the wallet's own error, or PaymentProblem
 */
export async function sendUsdcCall({ config, target, address, connector, data, refused }: UsdcCall, onSent: (hash: string) => void) {
  const { chainId, usdc } = target;
  const provider = (await connector.getProvider({ chainId })) as EvmProvider;
  // Once more, right before: the wallet may have changed its network.
  const place = await findPlace(config, connector, target);
  if (place.kind === "elsewhere") throw new PaymentProblem(place.problem);
  // Asked for without viem's writeContract, which leaves the chain's number out: wallets hold a transaction to it.
  const transaction = { from: address, to: usdc, data, value: "0x0", chainId: numberToHex(chainId) };
  const hash = await provider.request({ method: "eth_sendTransaction", params: [transaction] });
  if (!isHash(hash))
    throw new PaymentProblem("The wallet did not say what it sent. Look into its list of transactions before you try again.");
  onSent(hash);
  const receipt = await waitForTransactionReceipt(config, { hash, chainId, pollingInterval: LOOKS_EVERY_MS, timeout: MAX_WAIT_MS }).catch(
    () => null, // the chain is slow, or asked too often: what came of it is read from the chain later
  );
  if (receipt?.status === "reverted") throw new PaymentProblem(refused);
}

const isHash = (value: unknown): value is Hex => typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value);
