// Assembles the sandbox: simulated models, its own chains and secrets, and the demo account. Nothing here runs in live mode.

import { setTimeout as sleep } from "node:timers/promises";
import { setSandboxSessionSecret } from "@/lib/access/session-secret";
import { assert } from "@/lib/base/assert";
import { config } from "@/lib/base/config";
import { keepRunning } from "@/lib/base/keep-running";
import { log } from "@/lib/base/observe/log";
import { setSandboxPepper } from "@/lib/base/pepper";
import { setDemoWallets } from "@/lib/console/demo-wallets";
import { deploySettlement } from "@/lib/payments/settlement/deploy-settlement";
import { findSettlementTerms } from "@/lib/payments/settlement/settlement-terms";
import { setSimulatedProviders } from "@/lib/providers/endpoints";
import { findRelayer } from "@/lib/relay/relayer";
import { findCustody } from "@/lib/wallets/custody/custody";
import type { SandboxChains } from "./chains";
import { areChainsOwned } from "./chains-owner";
import { openDemoAccount } from "./demo-account";
import { demoPayments } from "./demo-transfers";
import { demoIdentities, demoSigners, demoWalletsFile } from "./demo-wallets";
import { openFaucet } from "./faucet";
import { followChains } from "./follow-chains";
import { type SimulatedModelsOptions, startSimulatedModels } from "./models/start";
import { openSecrets, readSandboxFile, type SandboxFile, type SandboxSecrets, writeSandboxFile } from "./secrets";

export interface SandboxOptions extends SimulatedModelsOptions {
  /** The built program of the Solana chain; by default beside the built server. */
  solanaScriptPath?: string;
  /** The simulated models of another process of this start, instead of new ones. */
  modelsElsewhere?: ModelsPlace | undefined;
}

/** Where the simulated models answer, by vendor, and with which key. */
interface ModelsPlace {
  baseUrls: Readonly<Record<string, string>>;
  apiKey: string;
}

export interface Sandbox {
  /**
   * Opens the demo account and writes `sandbox.json`; the database must be migrated, and have its seed. Then the chains start in the
   * background, and their URLs are added to the file once they run. Resolves with the demo key.
   */
  openDemo: (baseUrl: string) => Promise<string>;
  modelsAt: () => ModelsPlace;
  /** False while the simulated models are down. */
  isWell: () => boolean;
  /** False until the chains run, and while one is down. */
  areChainsWell: () => boolean;
  /** Resolves with true once `sandbox.json` names chains that run, of whichever process; with false when the sandbox stops before. */
  untilChainsRun: () => Promise<boolean>;
  stop: () => Promise<void>;
}

const CHAINS_CHECK_MS = 50;

/** Starts the simulated models, and prepares the rest of the sandbox. */
export async function startSandbox({ solanaScriptPath, modelsElsewhere, ...options }: SandboxOptions = {}): Promise<Sandbox> {
  assert(config().MODE === "sandbox", "the sandbox runs in sandbox mode only");
  const dataDir = config().DATA_DIR;
  const secrets = openSecrets(dataDir);
  setSandboxPepper(secrets.keyPepper);
  setSandboxSessionSecret(secrets.sessionSecret);
  const models = await openModels(modelsElsewhere, options);
  let chains: ChainsHere | null = null;
  const stopping = new AbortController();
  return {
    openDemo: async (baseUrl) => {
      const apiKey = await openDemoAccount(readSandboxFile(dataDir)?.apiKey, demoIdentities(secrets.demoKeys));
      setDemoWallets(demoSigners(secrets.demoKeys), demoPayments(secrets.demoKeys));
      openFaucet(secrets.chainKeys);
      await chains?.stop();
      const file: SandboxFile = { ...readSandboxFile(dataDir), baseUrl, apiKey, wallets: demoWalletsFile(secrets.demoKeys) };
      // Another program may listen now on the ports of chains that no longer run.
      if (!areChainsOwned(dataDir)) for (const place of ["rpc", "usdc"]) delete file[place];
      writeSandboxFile(dataDir, file);
      chains = await startOrFollowChains({ secrets, solanaScriptPath });
      return apiKey;
    },
    modelsAt: models.place,
    isWell: models.isWell,
    areChainsWell: () => chains?.isWell?.() ?? false,
    untilChainsRun: async () => {
      while (!stopping.signal.aborted) {
        if (chains && areChainsNamed(dataDir) && (chains.knowsChains?.() ?? true)) return true;
        await sleep(CHAINS_CHECK_MS);
      }
      return false;
    },
    stop: async () => {
      stopping.abort();
      await Promise.all([models.stop(), chains?.stop()]);
    },
  };
}

interface Models {
  place: () => ModelsPlace;
  isWell: () => boolean;
  stop: () => Promise<void>;
}

async function openModels(elsewhere: ModelsPlace | undefined, options: SimulatedModelsOptions): Promise<Models> {
  if (elsewhere) {
    setSimulatedProviders(elsewhere.baseUrls, elsewhere.apiKey);
    return { place: () => elsewhere, isWell: () => true, stop: async () => undefined };
  }
  let place: ModelsPlace = { baseUrls: {}, apiKey: "" };
  const kept = await keepRunning("simulated models", async () => {
    const started = await startSimulatedModels(options);
    setSimulatedProviders(started.baseUrls, started.apiKey);
    place = { baseUrls: started.baseUrls, apiKey: started.apiKey };
    return started;
  });
  return { place: () => place, isWell: () => kept.current() !== null, stop: kept.stop };
}

function areChainsNamed(dataDir: string): boolean {
  try {
    return areChainsOwned(dataDir) && readSandboxFile(dataDir)?.rpc !== undefined;
  } catch {
    return false; // damaged while the service runs: the chains' next report fails with the reason
  }
}

type OwnChainsOptions = Pick<SandboxOptions, "solanaScriptPath"> & { secrets: SandboxSecrets };

type ChainsHere = Pick<SandboxChains, "stop"> & Partial<SandboxChains> & { knowsChains?: () => boolean };

/** Chains belong to a seed: a process with the jobs role runs them unless another one does; all others follow their URLs. */
async function startOrFollowChains({ secrets, solanaScriptPath }: OwnChainsOptions): Promise<ChainsHere> {
  const dataDir = config().DATA_DIR;
  const custody = config().ROLES.includes("jobs") ? await findCustody() : null;
  if (!custody) return followChains({ dataDir, isOwner: () => false });
  const { startChains } = await import("./chains"); // imported late: it is a lot of code
  return startChains({
    dataDir,
    custody,
    secrets,
    solanaScriptPath,
    deployContract,
    onPlaces: (places) => {
      try {
        const file = readSandboxFile(dataDir);
        if (file) writeSandboxFile(dataDir, { ...file, ...places });
      } catch (error) {
        log().error({ err: error }, "could not write the chains' addresses to sandbox.json");
      }
    },
  });
}

/** Milliseconds to wait for a block; the next round checks again. */
const BLOCK_WAIT_MS = 2_000;

/** Deploys the settlement contract through the relay, unless the persisted chain already has it. */
async function deployContract(): Promise<void> {
  const terms = await findSettlementTerms();
  if (!terms || !findRelayer()) return;
  const { kind, address } = await deploySettlement(terms, { waitMs: BLOCK_WAIT_MS });
  if (kind === "deployed") log().info({ address }, "settlement contract deployed to the sandbox's chain");
}
