// The sandbox, put together: simulated models, secrets of its own, and the demo account. Nothing here runs in live mode.

import { setTimeout as sleep } from "node:timers/promises";
import { setSandboxPepper } from "@/lib/access/pepper";
import { setSandboxSessionSecret } from "@/lib/access/session-secret";
import { assert } from "@/lib/base/assert";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { setDemoWallets } from "@/lib/console/demo-wallets";
import { setSimulatedProviders } from "@/lib/providers/endpoints";
import { openDemoAccount } from "./demo-account";
import { demoIdentities, demoSigners, demoWalletsFile } from "./demo-wallets";
import { openFaucet } from "./faucet";
import { type SimulatedModels, type SimulatedModelsOptions, startSimulatedModels } from "./models/start";
import { openSecrets, readSandboxFile, writeSandboxFile } from "./secrets";

export interface Sandbox {
  /** Opens the demo account and writes `sandbox.json`; the database must be migrated. Resolves with the demo key. */
  openDemo: (baseUrl: string) => Promise<string>;
  /** False while the simulated models are away. */
  isWell: () => boolean;
  stop: () => Promise<void>;
}

const FIRST_RETRY_MS = 100;
const MOST_RETRY_MS = 10_000;

/** Starts what a sandbox simulates. */
export async function startSandbox(options: SimulatedModelsOptions = {}): Promise<Sandbox> {
  assert(config().MODE === "sandbox", "the sandbox runs in sandbox mode only");
  const dataDir = config().DATA_DIR;
  const secrets = openSecrets(dataDir);
  setSandboxPepper(secrets.keyPepper);
  setSandboxSessionSecret(secrets.sessionSecret);
  const models = await keepModels(options);
  return {
    openDemo: async (baseUrl) => {
      const before = readSandboxFile(dataDir);
      const apiKey = await openDemoAccount(before?.apiKey, demoIdentities(secrets.demoKeys));
      setDemoWallets(demoSigners(secrets.demoKeys));
      openFaucet();
      writeSandboxFile(dataDir, { ...before, baseUrl, apiKey, wallets: demoWalletsFile(secrets.demoKeys) });
      return apiKey;
    },
    ...models,
  };
}

/** Simulated models that are started again, with a new address and key, whenever they end unasked. */
async function keepModels(options: SimulatedModelsOptions): Promise<Pick<Sandbox, "isWell" | "stop">> {
  const stopping = new AbortController();
  let current: SimulatedModels | null = null;
  const start = async () => {
    current = await startSimulatedModels(options);
    setSimulatedProviders(current.baseUrls, current.apiKey);
    return current;
  };
  const keeping = keep(await start());

  async function keep(first: SimulatedModels): Promise<void> {
    for (let models = first; ; ) {
      const end = await models.ended;
      current = null;
      if (stopping.signal.aborted) return;
      log().error({ ...end }, "the simulated models ended unasked; starting them again");
      const again = await startAgain();
      if (!again) return;
      models = again;
    }
  }

  async function startAgain(): Promise<SimulatedModels | null> {
    for (let pauseMs = FIRST_RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, MOST_RETRY_MS)) {
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined); // stopping ends the pause
      if (stopping.signal.aborted) return null;
      try {
        const models = await start();
        if (!stopping.signal.aborted) return models;
        await models.stop();
      } catch (error) {
        log().error({ err: error }, "the simulated models did not start; trying again");
      }
    }
  }

  return {
    isWell: () => current !== null,
    stop: async () => {
      stopping.abort();
      await current?.stop();
      await keeping;
    },
  };
}
