"use client";

import { DropletIcon } from "lucide-react";
import type { Answer } from "@/lib/console/views/answer";
import type { Chain } from "@/lib/console/views/chain";
import { ActionButton } from "./action-button";

/** Sends test USDC to a wallet in this browser, and the coin that its fees are paid in. Only a sandbox has it. */
export type RequestTestMoney = (wish: { chain: Chain; wallet: string }) => Promise<Answer>;

interface TestMoneyProps {
  chain: Chain;
  wallet: string;
  request: RequestTestMoney;
}

const feeCoins: Record<Chain, string> = { base: "ETH", solana: "SOL" };

/** In a sandbox a wallet starts with nothing: the faucet gives it what a transfer or a payment needs. */
export const TestMoney = ({ chain, wallet, request }: TestMoneyProps) => (
  <ActionButton
    action={request}
    input={{ chain, wallet }}
    done={`Test USDC and ${feeCoins[chain]} for fees are on the way to this wallet.`}
    icon={<DropletIcon aria-hidden="true" />}
  >
    Send test USDC to this wallet
  </ActionButton>
);
