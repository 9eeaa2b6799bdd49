"use client";

import { useQuery } from "@tanstack/react-query";
import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex } from "viem";
import { type Config, type Connector, useAccount, useConfig } from "wagmi";
import { getBalance, getBlock, getGasPrice, readContract, switchChain, waitForTransactionReceipt } from "wagmi/actions";
import type { EvmProvider } from "./announced-providers";
import { type Funds, type PayingWallet, PaymentProblem, type Place } from "./paying-wallet";
import { useEvmWallet } from "./use-evm-wallet";
import { isObject } from "./wallet-error";
import type { EvmTarget } from "./wallet-types";

/** More than a transfer of USDC has ever taken. */
const TRANSFER_GAS = 80_000n;
const FUNDS_EVERY_MS = 10_000;
const LOOKS_EVERY_MS = 1_500;
const MOST_WAIT_MS = 180_000;
const EXPLORER = "https://basescan.org";

/** Pays from an Ethereum wallet. */
export function useEvmPayment(target: EvmTarget): PayingWallet {
  const handle = useEvmWallet();
  const config = useConfig();
  const { address, connector, chainId } = useAccount();
  const wallet = address && connector && handle.wallet ? { address, connector } : null;
  const placed = useQuery({
    queryKey: ["place", address, connector?.uid, chainId],
    queryFn: () => (connector ? findPlace(config, connector, target) : { kind: "asking" as const }),
    enabled: wallet !== null,
    retry: false,
  });
  const place: Place = wallet ? (placed.data ?? { kind: "asking" }) : { kind: "asking" };
  const funds = useQuery({
    queryKey: ["funds", address],
    queryFn: () => (address ? readFunds(config, target, address) : null),
    enabled: place.kind === "here",
    refetchInterval: FUNDS_EVERY_MS,
  });

  return {
    handle,
    place,
    funds: funds.data ?? null,
    switchChain: async () => {
      const { chainId: wanted, walletRpcUrl } = target;
      const rpcUrls = walletRpcUrl ? [walletRpcUrl] : [];
      const explorers = target.isSandbox ? [] : [EXPLORER];
      await switchChain(config, { chainId: wanted, connector, addEthereumChainParameter: { rpcUrls, blockExplorerUrls: explorers } });
      await placed.refetch();
    },
    pay: async (units, onSent) => {
      if (!wallet) throw new PaymentProblem("Choose a wallet first.");
      await pay({ config, target, ...wallet }, units, onSent);
      await funds.refetch();
    },
  };
}

/** Whether the wallet is on this service's chain now; in a sandbox on that very one, since other private chains have its number. */
async function findPlace(config: Config, connector: Connector, { chainId, isSandbox, walletRpcUrl }: EvmTarget): Promise<Place> {
  const name = config.chains.find(({ id }) => id === chainId)?.name ?? "our network";
  if ((await connector.getChainId()) !== chainId)
    return { kind: "elsewhere", canSwitch: true, problem: `This wallet is on another network. Switch it to ${name} to send.` };
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

async function readFunds(config: Config, { chainId, usdc }: EvmTarget, account: Address): Promise<Funds> {
  const [units, gas, price] = await Promise.all([
    readContract(config, { chainId, address: usdc as Hex, abi: erc20Abi, functionName: "balanceOf", args: [account] }),
    getBalance(config, { chainId, address: account }),
    getGasPrice(config, { chainId }),
  ]);
  const lacksGas = gas.value < TRANSFER_GAS * price;
  return { units, feeProblem: lacksGas ? "This wallet has too little ETH for the network's fee. Put a few cents of ETH into it." : null };
}

interface Payer {
  config: Config;
  target: EvmTarget;
  address: Address;
  connector: Connector;
}

async function pay({ config, target, address, connector }: Payer, units: bigint, onSent: (hash: string) => void): Promise<void> {
  const { chainId, usdc, to } = target;
  const provider = (await connector.getProvider({ chainId })) as EvmProvider;
  // Once more, right before: the wallet may have changed its network.
  const place = await findPlace(config, connector, target);
  if (place.kind === "elsewhere") throw new PaymentProblem(place.problem);
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to as Hex, units] });
  // Asked for without viem's writeContract, which leaves the chain's number out: wallets hold a transaction to it.
  const transaction = { from: address, to: usdc, data, value: "0x0", chainId: numberToHex(chainId) };
  const hash = await provider.request({ method: "eth_sendTransaction", params: [transaction] });
  if (!isHash(hash))
    throw new PaymentProblem("The wallet did not say what it sent. Look into its list of transactions before you try again.");
  onSent(hash);
  const receipt = await waitForTransactionReceipt(config, { hash, chainId, pollingInterval: LOOKS_EVERY_MS, timeout: MOST_WAIT_MS }).catch(
    () => null, // the chain is slow, or asked too often: what was sent is found by the list
  );
  if (receipt?.status === "reverted")
    throw new PaymentProblem("The chain refused the transfer: no USDC was moved. Look at the wallet's balance, then try again.");
}

const isHash = (value: unknown): value is Hex => typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value);
