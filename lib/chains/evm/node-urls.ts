// The node URLs of the service's EVM chain: the sandbox's own node, or BASE_RPC_URLS.

import { z } from "zod";
import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";

const sandboxNodes = processSingleton<{ urls: readonly string[] | null }>("sandbox EVM nodes", () => ({ urls: null }));

/** Makes the sandbox's own chain the only one used from now on. */
export function setSandboxEvmNodes(urls: readonly string[]): void {
  sandboxNodes().urls = z.array(z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ })).parse(urls);
}

/** They often contain an API key: never log them or put them into messages. */
export const evmNodeUrls = (): readonly string[] => sandboxNodes().urls ?? config().BASE_RPC_URLS;
