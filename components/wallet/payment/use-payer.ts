"use client";

import { useQuery } from "@tanstack/react-query";
import { type Address, encodeFunctionData, erc20Abi, type Hex } from "viem";
import { type Config, useConfig } from "wagmi";
import { getBalance, getGasPrice, readContract } from "wagmi/actions";
import { chainRegistry } from "@/lib/base/chains";
import type { SettlementTarget } from "@/lib/console/views/send-targets";
import { useEvmPlace } from "../use-evm-place";
import { findPlace, sendUsdcCall } from "./evm-usdc";
import { type PayingWallet, PaymentProblem } from "./paying-wallet";
import { lacksFeeText } from "./use-payment";

/** Both in millionths of a USDC. */
export interface PayerFunds {
  /** How much of it the payment contract may take. */
  allowance: bigint;
  units: bigint;
  /** The message when the wallet lacks the fee of an approval; signing a payment costs it no fee. */
  feeProblem: string | null;
}

/** A wallet of this browser that pays by signature. */
export interface Payer extends Pick<PayingWallet, "handle" | "place" | "switchChain"> {
  /** Null until they are read. */
  funds: PayerFunds | null;
  /**
   * Allows the contract to take this many millionths of a USDC, replacing the previous allowance; 0 revokes it. Resolves when the
   * chain has it; `onSent` gets the transaction's id before that.
   * @throws the wallet's own error, or PaymentProblem
   */
  approve: (units: bigint, onSent: (transaction: string) => void) => Promise<void>;
  /**
   * Signs the text of a payment.
   * @throws the wallet's own error, or PaymentProblem
   */
  sign: (text: string) => Promise<string>;
}

/** More gas than a USDC approval has ever used. */
const APPROVAL_GAS = 80_000n;
const FUNDS_EVERY_MS = 10_000;

/** Pays by an Ethereum wallet's signatures. */
export function usePayer(target: SettlementTarget): Payer {
  const { handle, wallet, place, switchToOurs } = useEvmPlace(target);
  const config = useConfig();
  const address = wallet?.address;
  const funds = useQuery({
    queryKey: ["payer's funds", address, target.contract],
    queryFn: () => (address ? readFunds(config, target, address) : null),
    enabled: place.kind === "here",
    refetchInterval: FUNDS_EVERY_MS,
  });
  return {
    handle,
    place,
    funds: funds.data ?? null,
    switchChain: switchToOurs,
    approve: async (units, onSent) => {
      if (!wallet) throw new PaymentProblem("Choose a wallet first.");
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [target.contract as Hex, units] });
      const refused = "The approval failed. Nothing changed. Try again.";
      await sendUsdcCall({ config, target, ...wallet, data, refused }, onSent);
      await funds.refetch();
    },
    sign: async (text) => {
      if (!wallet) throw new PaymentProblem("Choose a wallet first.");
      // The signature moves money: the wallet must be on the chain where it moves.
      const now = await findPlace(config, wallet.connector, target);
      if (now.kind === "elsewhere") throw new PaymentProblem(now.problem);
      const { signature } = await handle.sign({ nonce: "", text });
      return withEthereumV(signature);
    },
  };
}

/** Some hardware wallets end a signature with 0 or 1, where contracts accept only Ethereum's own 27 or 28. */
const withEthereumV = (signature: string): string =>
  /^0x[0-9a-f]{128}0[01]$/i.test(signature) ? `${signature.slice(0, -2)}${signature.endsWith("0") ? "1b" : "1c"}` : signature;

async function readFunds(config: Config, { chainId, usdc, contract }: SettlementTarget, account: Address): Promise<PayerFunds> {
  const token = { chainId, address: usdc as Hex, abi: erc20Abi } as const;
  const [allowance, units, gas, price] = await Promise.all([
    readContract(config, { ...token, functionName: "allowance", args: [account, contract as Hex] }),
    readContract(config, { ...token, functionName: "balanceOf", args: [account] }),
    getBalance(config, { chainId, address: account }),
    getGasPrice(config, { chainId }),
  ]);
  const lacksGas = gas.value < APPROVAL_GAS * price;
  return {
    allowance,
    units,
    feeProblem: lacksGas ? lacksFeeText({ chainName: chainRegistry.base.name, feeCoin: chainRegistry.base.nativeCurrency }) : null,
  };
}
