// What a start prints: the service's address, and in a sandbox one curl line to paste.

import type { Config } from "@/lib/base/config";
import { defaultModel, listModels } from "@/lib/providers/catalogue";

/** Prints the address; with a demo key, a curl line that works as pasted. */
export function printReady(settings: Config, baseUrl: string, demoKey: string | null): void {
  const lines = [`${settings.SERVICE_NAME} (${settings.MODE}) answers at ${baseUrl}`];
  if (demoKey) {
    const body = JSON.stringify({ model: defaultModel(listModels()).id, prompt: "What is a nano-dollar?" });
    lines.push(
      "",
      "Simulated: the models, and the money. The demo account has 25 USD that are worth nothing. Try it:",
      "",
      `curl -s ${baseUrl}/api/v1/prompt -H 'Authorization: Bearer ${demoKey}' -H 'Content-Type: application/json' -d '${body}'`,
      "",
      "Ctrl-C stops it.",
    );
  }
  process.stdout.write(`\n${lines.join("\n")}\n\n`);
}
