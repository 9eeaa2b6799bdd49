// The EVM chain of this service: Base, or a sandbox's own.

import { config } from "@/lib/base/config";

const BASE = 8_453;
const SANDBOX_CHAIN = 31_337;

/** The EIP-155 chain ID. */
export const baseChainId = (): number => config().BASE_CHAIN_ID ?? (config().MODE === "live" ? BASE : SANDBOX_CHAIN);
