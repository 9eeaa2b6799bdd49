// Where the service's EVM chain is asked: at the sandbox's own node, or at BASE_RPC_URLS.

import { z } from "zod";
import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";

const sandboxNodes = processSingleton<{ urls: readonly string[] | null }>("sandbox EVM nodes", () => ({ urls: null }));

/** Asks the sandbox's own chain from now on, and no other. */
export function setSandboxEvmNodes(urls: readonly string[]): void {
  sandboxNodes().urls = z.array(z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ })).parse(urls);
}

/** Often with a key in them: for no log and no message. */
export const evmNodeUrls = (): readonly string[] => sandboxNodes().urls ?? config().BASE_RPC_URLS;
