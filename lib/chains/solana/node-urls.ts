// Where Solana is asked: at the sandbox's own chain, or in live mode at SOLANA_RPC_URLS. A sandbox asks no cluster but its own.

import { z } from "zod";
import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";

export interface SolanaCluster {
  /** Often with a key in them: for no log and no message. */
  urls: readonly string[];
  /** Of a sandbox's own cluster. */
  genesisHash?: string;
}

const sandboxCluster = processSingleton<{ cluster: SolanaCluster | null }>("sandbox Solana nodes", () => ({ cluster: null }));
const ownUrls = z.array(z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }));

/** Asks the sandbox's own chain from now on, and no other. */
export function setSandboxSolanaNodes(urls: readonly string[], genesisHash: string): void {
  sandboxCluster().cluster = { urls: ownUrls.parse(urls), genesisHash };
}

export function solanaCluster(): SolanaCluster {
  const { MODE, SOLANA_RPC_URLS } = config();
  return sandboxCluster().cluster ?? { urls: MODE === "live" ? SOLANA_RPC_URLS : [] };
}
