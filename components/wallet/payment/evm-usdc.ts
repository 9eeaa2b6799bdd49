// USDC transactions that a page requests from an Ethereum wallet: never before the wallet has shown which chain it is on.

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

/** Whether the wallet is on this service's chain now; in a sandbox on exactly that chain, since other private chains share its id. */
export async function findPlace(config: Config, connector: Connector, { chainId, isSandbox, walletRpcUrl }: EvmUsdc): Promise<Place> {
  const name = config.chains.find(({ id }) => id === chainId)?.name ?? "our network";
  if ((await connector.getChainId()) !== chainId)
    return { kind: "elsewhere", canSwitch: true, problem: `This wallet is on another network. Switch to ${name} to continue.` };
  if (!isSandbox) return { kind: "here" };
  const [own, its] = await Promise.all([getBlock(config, { chainId, blockNumber: 0n }), readFirstBlock(connector)]);
  if (own.hash === its) return { kind: "here" };
  const cure = walletRpcUrl ? ` In the wallet, set the RPC URL of network ${chainId} to ${walletRpcUrl}, then reload this page.` : "";
  return {
    kind: "elsewhere",
    canSwitch: false,
    problem: `This wallet is on another chain with the same chain ID, ${chainId}.${cure}`,
  };
}

/** The hash of the first block of the wallet's chain, as reported by the wallet itself. */
async function readFirstBlock(connector: Connector): Promise<unknown> {
  const provider = (await connector.getProvider()) as EvmProvider;
  const block = await provider.request({ method: "eth_getBlockByNumber", params: ["0x0", false] }).catch(() => null);
  return isObject(block) ? block.hash : null;
}

/** Asks the wallet to switch to this service's chain. @throws the wallet's own error */
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
  /** The calldata of the USDC call. */
  data: Hex;
  /** The message when the chain refused it. */
  refused: string;
}

/**
 * Makes the wallet send a USDC call; resolves when the chain has it. `onSent` gets the transaction's hash before that.
 * @throws the wallet's own error, or PaymentProblem
 */
export async function sendUsdcCall({ config, target, address, connector, data, refused }: UsdcCall, onSent: (hash: string) => void) {
  const { chainId, usdc } = target;
  const provider = (await connector.getProvider({ chainId })) as EvmProvider;
  // Checked again right before: the wallet may have changed its network.
  const place = await findPlace(config, connector, target);
  if (place.kind === "elsewhere") throw new PaymentProblem(place.problem);
  // Requested without viem's writeContract, which omits the chain id: wallets enforce the chain id of a transaction.
  const transaction = { from: address, to: usdc, data, value: "0x0", chainId: numberToHex(chainId) };
  const hash = await provider.request({ method: "eth_sendTransaction", params: [transaction] });
  if (!isHash(hash)) throw new PaymentProblem("The wallet did not report what it sent. Check its activity before you try again.");
  onSent(hash);
  const receipt = await waitForTransactionReceipt(config, { hash, chainId, pollingInterval: LOOKS_EVERY_MS, timeout: MAX_WAIT_MS }).catch(
    () => null, // the chain is slow, or limits requests: the outcome is read from the chain later
  );
  if (receipt?.status === "reverted") throw new PaymentProblem(refused);
}

const isHash = (value: unknown): value is Hex => typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value);
