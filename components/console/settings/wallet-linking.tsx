"use client";

import type { DemoWallets, NamedWallet, SignDemo, WalletSettings } from "@/lib/console/views/wallet";
import { LinkWallet } from "../../wallet/link-wallet";
import type { LinkActions } from "../../wallet/use-link";
import { WalletProviders } from "../../wallet/wallet-providers";

export interface WalletLinkingProps extends LinkActions {
  settings: WalletSettings;
  demo: DemoWallets | null;
  signDemo: SignDemo;
  /** The account's wallets; one of them allows the new one. */
  linked: readonly NamedWallet[];
  onLinked: () => void;
}

/** Linking with all that talks to wallets around it: large, so it is fetched when somebody links. */
export function WalletLinking({ settings, demo, signDemo, ...link }: WalletLinkingProps) {
  return (
    <WalletProviders settings={settings} demo={demo} signDemo={signDemo}>
      <LinkWallet {...link} />
    </WalletProviders>
  );
}
