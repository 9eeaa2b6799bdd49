"use client";

import type { DemoWallets, SignDemo, WalletSettings } from "@/lib/console/views/wallet";
import { WalletProviders } from "../../wallet/wallet-providers";
import { type OrderSignerProps, SignOrder } from "./sign-order";

export interface OrderSigningProps extends OrderSignerProps {
  settings: WalletSettings;
  demo: DemoWallets | null;
  signDemo: SignDemo;
}

/** Signing with all that talks to wallets around it: large, so it is fetched when somebody reviews an order. */
export function OrderSigning({ settings, demo, signDemo, ...signing }: OrderSigningProps) {
  return (
    <WalletProviders settings={settings} demo={demo} signDemo={signDemo}>
      <SignOrder {...signing} />
    </WalletProviders>
  );
}
