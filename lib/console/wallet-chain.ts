// The EVM chain that wallets are asked about: Base, or the sandbox's own, which no wallet can mistake for it.

import { config } from "@/lib/base/config";
import { baseChainId } from "@/lib/chains/evm/base";

export interface WalletChainSettings {
  id: number;
  name: string;
}

export function walletChain(): WalletChainSettings {
  const { MODE, SERVICE_NAME } = config();
  return { id: baseChainId(), name: MODE === "sandbox" ? `${SERVICE_NAME} sandbox` : "Base" };
}
