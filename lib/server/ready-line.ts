// The line that says where the service answers; in a sandbox with a request that works as pasted.

import type { Config } from "@/lib/base/config";
import { defaultModel, listModels } from "@/lib/providers/catalogue";
import { startStep } from "./launch/steps.mjs";

interface Ready {
  baseUrl: string;
  demoKey: string | null;
  /** Resolves when the sandbox's chains run for the first time; false when it stops before. */
  chainsRun: Promise<boolean> | undefined;
}

/** Prints that the service is ready. A sandbox with chains is ready when they run for the first time. */
export function announce(settings: Config, { baseUrl, demoKey, chainsRun }: Ready): void {
  if (!chainsRun) {
    printReady(settings, baseUrl, demoKey);
    return;
  }
  const step = startStep("Chains");
  void chainsRun.then((run) => {
    if (!run) return step.drop(); // the service stops
    step.done();
    printReady(settings, baseUrl, demoKey);
  });
}

/** Prints the address; with a demo key, a curl line that works as pasted. */
function printReady(settings: Config, baseUrl: string, demoKey: string | null): void {
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
