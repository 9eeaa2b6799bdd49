// The EVM chain of this service, Base or a sandbox's own: its chain ID and its nodes.

import { createClient, fallback, http } from "viem";
import { config } from "@/lib/base/config";
import { evmNodeUrls } from "./node-urls";

const ANSWER_TIMEOUT_MS = 5_000;
const BASE = 8_453;
const SANDBOX_CHAIN = 31_337;

/** The EIP-155 chain ID. */
export const baseChainId = (): number => config().BASE_CHAIN_ID ?? (config().MODE === "live" ? BASE : SANDBOX_CHAIN);

/** A client that tries the service's nodes in order until one answers; null when no node is configured. */
export function baseClient() {
  const urls = evmNodeUrls();
  if (urls.length === 0) return null;
  const nodes = urls.map((url) => http(url, { timeout: ANSWER_TIMEOUT_MS, retryCount: 0 }));
  return createClient({ transport: fallback(nodes, { retryCount: 0 }) });
}
