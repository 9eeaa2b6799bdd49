"use client";

import { DropletIcon } from "lucide-react";
import { type ChainId, chainRegistry } from "@/lib/base/chains";
import type { Answer } from "@/lib/console/views/answer";
import { ActionButton } from "./action-button";

/** Sends test USDC to a wallet in this browser, and the coin that its fees are paid in. Only a sandbox has it. */
export type RequestTestMoney = (wish: { chain: ChainId; wallet: string }) => Promise<Answer>;

interface TestMoneyProps {
  chain: ChainId;
  wallet: string;
  request: RequestTestMoney;
}

/** In a sandbox a wallet starts with nothing: the faucet gives it what a transfer or a payment needs. */
export const TestMoney = ({ chain, wallet, request }: TestMoneyProps) => (
  <ActionButton
    action={request}
    input={{ chain, wallet }}
    done={`Test USDC and ${chainRegistry[chain].nativeCurrency} for fees are on the way to this wallet.`}
    icon={<DropletIcon aria-hidden="true" />}
  >
    Send test USDC to this wallet
  </ActionButton>
);
