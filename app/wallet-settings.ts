// What pages with wallets tell the browser about this service.

import { config } from "@/lib/base/config";
import type { WalletSettings } from "@/lib/console/views/wallet";
import { walletChain } from "@/lib/console/wallet-chain";
import { readSite } from "./site";

export function readWalletSettings(): WalletSettings {
  const { name, baseUrl, isSandbox } = readSite();
  const { WALLETCONNECT_PROJECT_ID } = config();
  return {
    appName: name,
    baseUrl,
    chain: walletChain(),
    // A sandbox reaches no other host.
    walletConnectProjectId: isSandbox ? null : (WALLETCONNECT_PROJECT_ID ?? null),
  };
}
