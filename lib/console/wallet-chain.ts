// The EVM chain that wallets must use: Base, or the sandbox's own, which no wallet can mistake for it.

import { config } from "@/lib/base/config";
import { baseChainId } from "@/lib/chains/evm/base";
import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import type { WalletChainSettings } from "./views/wallet";

/** Base's own public node. Source: https://docs.base.org/base-chain/quickstart/connecting-to-base */
const publicNodes: Readonly<Record<number, string>> = { 8453: "https://mainnet.base.org" };

export function walletChain(): WalletChainSettings {
  const { MODE, SERVICE_NAME } = config();
  const id = baseChainId();
  if (MODE === "live") return { id, name: "Base", walletRpcUrl: publicNodes[id] ?? null };
  // Wallets are not our pages, so our own proxy refuses them. Of the nodes only the sandbox's own may be revealed.
  const own = evmNodeUrls().find((url) => /^http:\/\/127\.0\.0\.1:\d+$/.test(url));
  return { id, name: `${SERVICE_NAME} sandbox`, walletRpcUrl: own ?? null };
}
