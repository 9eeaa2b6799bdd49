"use client";

import { WalletProviders } from "../../wallet/wallet-providers";
import { PaySteps, type PayStepsProps } from "./pay-steps";
import type { WalletPaySettings } from "./pay-types";

export interface WalletPayProps extends Omit<PayStepsProps, keyof WalletPaySettings>, WalletPaySettings {}

/** Paying for a prompt with all that talks to wallets around it: large, so it is fetched when somebody pays. */
export function WalletPay({ settings, demo, signDemo, ...steps }: WalletPayProps) {
  return (
    <WalletProviders settings={settings} demo={demo} signDemo={signDemo}>
      <PaySteps {...steps} />
    </WalletProviders>
  );
}
