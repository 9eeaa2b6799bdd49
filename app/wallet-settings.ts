// What pages with wallets tell the browser about this service.

import type { WalletSettings } from "@/components/wallet/wallet-types";
import { config } from "@/lib/base/config";
import { readSite } from "./site";

export function readWalletSettings(): WalletSettings {
  const { name, baseUrl, isSandbox } = readSite();
  const { BASE_CHAIN_ID, WALLETCONNECT_PROJECT_ID } = config();
  return {
    appName: name,
    baseUrl,
    chain: { id: BASE_CHAIN_ID, name: isSandbox ? `${name} sandbox` : "Base" },
    // A sandbox reaches no other host.
    walletConnectProjectId: isSandbox ? null : (WALLETCONNECT_PROJECT_ID ?? null),
  };
}
