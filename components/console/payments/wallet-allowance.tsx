"use client";

import type { SettlementTarget } from "@/lib/console/views/send-targets";
import type { DemoWallets, SignDemo, WalletSettings } from "@/lib/console/views/wallet";
import { WalletProviders } from "../../wallet/wallet-providers";
import { AllowanceSteps } from "./allowance-steps";

export interface WalletAllowanceProps {
  settings: WalletSettings;
  demo: DemoWallets | null;
  signDemo: SignDemo;
  target: SettlementTarget;
}

/** A wallet's allowance with all that talks to wallets around it: large, so it is fetched after the page. */
export const WalletAllowance = ({ settings, demo, signDemo, target }: WalletAllowanceProps) => (
  <WalletProviders settings={settings} demo={demo} signDemo={signDemo}>
    <AllowanceSteps target={target} />
  </WalletProviders>
);
