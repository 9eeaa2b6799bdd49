// The sandbox, put together: simulated models, a pepper of its own, and the demo account. Nothing here runs in live mode.

import { useSandboxPepper } from "@/lib/access/pepper";
import { assert } from "@/lib/base/assert";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { useSimulatedProviders } from "@/lib/providers/endpoints";
import { openDemoAccount } from "./demo-account";
import { type SimulatedModels, startSimulatedModels } from "./models/start";
import { openSecrets, readSandboxFile, writeSandboxFile } from "./secrets";

export interface Sandbox {
  /** Opens the demo account and writes `sandbox.json`; the database must be migrated. Resolves with the demo key. */
  openDemo: (baseUrl: string) => Promise<string>;
  isWell: () => boolean;
  stop: () => Promise<void>;
}

/** Starts what a sandbox simulates. */
export async function startSandbox(): Promise<Sandbox> {
  assert(config().MODE === "sandbox", "the sandbox runs in sandbox mode only");
  const dataDir = config().DATA_DIR;
  useSandboxPepper(openSecrets(dataDir).keyPepper);
  const models = await startSimulatedModels();
  useSimulatedProviders(models.baseUrls, models.apiKey);
  const state = { alive: true, stopping: false };
  watch(models, state);
  return {
    openDemo: async (baseUrl) => {
      const before = readSandboxFile(dataDir);
      const apiKey = await openDemoAccount(before?.apiKey);
      writeSandboxFile(dataDir, { ...before, baseUrl, apiKey });
      return apiKey;
    },
    isWell: () => state.alive,
    stop: async () => {
      state.stopping = true;
      await models.stop();
    },
  };
}

function watch(models: SimulatedModels, state: { alive: boolean; stopping: boolean }): void {
  void models.ended.then((end) => {
    state.alive = false;
    if (!state.stopping) log().error({ ...end }, "the simulated models ended; restart to have them again");
  });
}
