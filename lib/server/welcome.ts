// What a start prints: the service's address, and in a sandbox one curl line to paste.

import type { Config } from "@/lib/base/config";
import { defaultModel, listModels } from "@/lib/providers/catalogue";

/** Prints the address; with a demo key, a curl line that works as pasted. */
export function printReady(settings: Config, baseUrl: string, demoKey: string | null): void {
  const lines = [`${settings.SERVICE_NAME} (${settings.MODE}) is ready: ${baseUrl}`];
  if (demoKey) {
    const body = JSON.stringify({ model: defaultModel(listModels()).id, prompt: "What is a nano-dollar?" });
    lines.push(
      "",
      "This is a sandbox: models and money are simulated. The demo account has $25 of test USDC. Try it:",
      "",
      `curl -s ${baseUrl}/api/v1/prompt -H 'Authorization: Bearer ${demoKey}' -H 'Content-Type: application/json' -d '${body}'`,
      "",
      "Press Ctrl-C to stop.",
    );
  }
  process.stdout.write(`\n${lines.join("\n")}\n\n`);
}
