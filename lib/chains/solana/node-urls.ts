// The Solana node URLs: the sandbox's own chain, or in live mode SOLANA_RPC_URLS. A sandbox uses no cluster but its own.

import { z } from "zod";
import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";

export interface SolanaCluster {
  /** They often contain an API key: never log them or put them into messages. */
  urls: readonly string[];
  /** Of a sandbox's own cluster. */
  genesisHash?: string;
}

const sandboxCluster = processSingleton<{ cluster: SolanaCluster | null }>("sandbox Solana nodes", () => ({ cluster: null }));
const ownUrls = z.array(z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }));

/** Makes the sandbox's own chain the only one used from now on. */
export function setSandboxSolanaNodes(urls: readonly string[], genesisHash: string): void {
  sandboxCluster().cluster = { urls: ownUrls.parse(urls), genesisHash };
}

export function solanaCluster(): SolanaCluster {
  const { MODE, SOLANA_RPC_URLS } = config();
  return sandboxCluster().cluster ?? { urls: MODE === "live" ? SOLANA_RPC_URLS : [] };
}
