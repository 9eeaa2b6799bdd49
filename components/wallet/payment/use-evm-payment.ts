"use client";

import { useQuery } from "@tanstack/react-query";
import { type Address, encodeFunctionData, erc20Abi, type Hex } from "viem";
import { type Config, useConfig } from "wagmi";
import { getBalance, getGasPrice, readContract } from "wagmi/actions";
import { chainRegistry } from "@/lib/base/chains";
import type { EvmTarget } from "@/lib/console/views/send-targets";
import { useEvmPlace } from "../use-evm-place";
import { sendUsdcCall } from "./evm-usdc";
import { type Funds, type PayingWallet, PaymentProblem } from "./paying-wallet";
import { lacksFeeText } from "./use-payment";

/** More gas than a USDC transfer has ever used. */
const TRANSFER_GAS = 80_000n;
const FUNDS_EVERY_MS = 10_000;

/** Pays from an Ethereum wallet. */
export function useEvmPayment(target: EvmTarget): PayingWallet {
  const { handle, wallet, place, switchToOurs } = useEvmPlace(target);
  const config = useConfig();
  const address = wallet?.address;
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
    switchChain: switchToOurs,
    pay: async (units, onSent) => {
      if (!wallet) throw new PaymentProblem("Choose a wallet first.");
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [target.to as Hex, units] });
      const refused = "The transfer failed. No USDC was moved. Check the wallet's balance, then try again.";
      await sendUsdcCall({ config, target, ...wallet, data, refused }, onSent);
      await funds.refetch();
    },
  };
}

async function readFunds(config: Config, { chainId, usdc }: EvmTarget, account: Address): Promise<Funds> {
  const [units, gas, price] = await Promise.all([
    readContract(config, { chainId, address: usdc as Hex, abi: erc20Abi, functionName: "balanceOf", args: [account] }),
    getBalance(config, { chainId, address: account }),
    getGasPrice(config, { chainId }),
  ]);
  const lacksGas = gas.value < TRANSFER_GAS * price;
  return {
    units,
    feeProblem: lacksGas ? lacksFeeText({ chainName: chainRegistry.base.name, feeCoin: chainRegistry.base.nativeCurrency }) : null,
  };
}
