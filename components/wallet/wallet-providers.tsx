"use client";

import "@rainbow-me/rainbowkit/styles.css";
import { connectorsForWallets, lightTheme, RainbowKitProvider, type Theme } from "@rainbow-me/rainbowkit";
import { walletConnectWallet } from "@rainbow-me/rainbowkit/wallets";
import type { Adapter } from "@solana/wallet-adapter-base";
import { ConnectionProvider, WalletProvider } from "@solana/wallet-adapter-react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { defineChain } from "viem";
import { type Config, createConfig, http, WagmiProvider } from "wagmi";
import type { WalletAccess, WalletSettings } from "@/lib/console/views/wallet";
import { offerDemoWallets } from "./demo/demo-wallet";
import { findBadge } from "./demo/demo-wallet-badge";
import { WalletLists } from "./wallet-lists";

interface WalletProvidersProps extends WalletAccess {
  children: ReactNode;
}

/** The context for everything that uses wallets; pages without wallets never load it. */
export function WalletProviders({ settings, demo, signDemo, children }: WalletProvidersProps) {
  const [config] = useState(() => {
    // Before wagmi looks for wallets: it connects only those again that it finds at once.
    if (demo) offerDemoWallets(demo, signDemo);
    return wagmiConfig(settings);
  });
  const [client] = useState(() => new QueryClient());
  const [theme] = useState(rainbowTheme);
  return (
    <WagmiProvider config={config}>
      <QueryClientProvider client={client}>
        <RainbowKitProvider theme={theme} modalSize="compact" locale="en-US" appInfo={{ appName: settings.appName }}>
          <ConnectionProvider endpoint={`${settings.baseUrl}/api/rpc/solana`}>
            {/* Errors are shown where the action started; by default they go to the browser's console. */}
            <WalletProvider wallets={[]} autoConnect={isDemoWallet} onError={() => undefined}>
              <WalletLists>{children}</WalletLists>
            </WalletProvider>
          </ConnectionProvider>
        </RainbowKitProvider>
      </QueryClientProvider>
    </WagmiProvider>
  );
}

/**
 * A demo wallet connects again without a question, as Ethereum wallets do. Any other Solana wallet of an earlier visit is only selected:
 * connecting is a separate step.
 */
const isDemoWallet = async ({ name }: Adapter): Promise<boolean> => findBadge(name) !== undefined;

function wagmiConfig({ chain, baseUrl, appName, walletConnectProjectId }: WalletSettings): Config {
  const { id, name, walletRpcUrl } = chain;
  const rpcUrl = `${baseUrl}/api/rpc/base`;
  const ours = defineChain({
    id,
    name,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    // The URL for wallets; this page itself uses the transport below.
    rpcUrls: { default: { http: [walletRpcUrl ?? rpcUrl] } },
  });
  // Browser wallets announce themselves; WalletConnect is loaded with them where it is offered.
  const connectors = walletConnectProjectId
    ? connectorsForWallets([{ groupName: "Phone", wallets: [walletConnectWallet] }], { appName, projectId: walletConnectProjectId })
    : [];
  return createConfig({
    chains: [ours],
    connectors,
    multiInjectedProviderDiscovery: true,
    ssr: true,
    transports: { [id]: http(rpcUrl) },
  });
}

/** RainbowKit in this product's colours: the design tokens switch between dark and light on their own. */
function rainbowTheme(): Theme {
  const base = lightTheme({ borderRadius: "small", overlayBlur: "none" });
  const { colors } = base;
  return {
    ...base,
    fonts: { body: "inherit" },
    colors: {
      ...colors,
      accentColor: "var(--ink)",
      accentColorForeground: "var(--paper)",
      actionButtonBorder: "var(--line)",
      actionButtonBorderMobile: "var(--line)",
      actionButtonSecondaryBackground: "var(--panel)",
      closeButton: "var(--muted)",
      closeButtonBackground: "var(--panel)",
      downloadBottomCardBackground: "var(--panel)",
      downloadTopCardBackground: "var(--panel)",
      error: "var(--red)",
      generalBorder: "var(--line)",
      generalBorderDim: "var(--line)",
      menuItemBackground: "var(--panel)",
      modalBackdrop: "color-mix(in oklab, black 40%, transparent)",
      modalBackground: "var(--paper)",
      modalBorder: "var(--edge)",
      modalText: "var(--ink)",
      modalTextDim: "var(--muted)",
      modalTextSecondary: "var(--muted)",
      profileForeground: "var(--paper)",
      selectedOptionBorder: "var(--edge)",
    },
    radii: { actionButton: "8px", connectButton: "8px", menuButton: "8px", modal: "8px", modalMobile: "8px" },
  };
}
