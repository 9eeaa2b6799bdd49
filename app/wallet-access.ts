// This service's settings for pages with wallets.

import { config } from "@/lib/base/config";
import { demoWallets } from "@/lib/console/demo-wallets";
import type { WalletAccess } from "@/lib/console/views/wallet";
import { walletChain } from "@/lib/console/wallet-chain";
import { signDemo } from "./(site)/connect/sign-demo";
import { readSite } from "./site";

export function readWalletAccess(): WalletAccess {
  const { name, baseUrl, isSandbox } = readSite();
  const { WALLETCONNECT_PROJECT_ID } = config();
  const chain = walletChain();
  const demo = demoWallets();
  return {
    settings: {
      appName: name,
      baseUrl,
      chain,
      // A sandbox reaches no other host.
      walletConnectProjectId: isSandbox ? null : (WALLETCONNECT_PROJECT_ID ?? null),
    },
    demo: demo && { ...demo, chainId: chain.id },
    signDemo,
  };
}
