// The sandbox, put together: simulated models, chains and secrets of its own, and the demo account. Nothing here runs in live mode.

import { setSandboxPepper } from "@/lib/access/pepper";
import { setSandboxSessionSecret } from "@/lib/access/session-secret";
import { assert } from "@/lib/base/assert";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
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
import { keepRunning } from "./keep-running";
import { type SimulatedModelsOptions, startSimulatedModels } from "./models/start";
import { openSecrets, readSandboxFile, type SandboxFile, type SandboxSecrets, writeSandboxFile } from "./secrets";

export interface SandboxOptions extends SimulatedModelsOptions {
  /** The built program of the Solana chain; by default it lies beside the built server. */
  solanaScriptPath?: string;
}

export interface Sandbox {
  /**
   * Opens the demo account and writes `sandbox.json`; the database must be migrated, and have its seed. Then the chains begin to
   * start, and are added to the file when they run. Resolves with the demo key.
   */
  openDemo: (baseUrl: string) => Promise<string>;
  /** False while the simulated models are away. */
  isWell: () => boolean;
  /** False until the chains run, and while one is away. */
  areChainsWell: () => boolean;
  stop: () => Promise<void>;
}

/** Starts what a sandbox simulates. */
export async function startSandbox({ solanaScriptPath, ...options }: SandboxOptions = {}): Promise<Sandbox> {
  assert(config().MODE === "sandbox", "the sandbox runs in sandbox mode only");
  const dataDir = config().DATA_DIR;
  const secrets = openSecrets(dataDir);
  setSandboxPepper(secrets.keyPepper);
  setSandboxSessionSecret(secrets.sessionSecret);
  const models = await keepRunning("simulated models", async () => {
    const started = await startSimulatedModels(options);
    setSimulatedProviders(started.baseUrls, started.apiKey);
    return started;
  });
  let chains: ChainsHere | null = null;
  return {
    openDemo: async (baseUrl) => {
      const apiKey = await openDemoAccount(readSandboxFile(dataDir)?.apiKey, demoIdentities(secrets.demoKeys));
      setDemoWallets(demoSigners(secrets.demoKeys), demoPayments(secrets.demoKeys));
      openFaucet(secrets.chainKeys);
      await chains?.stop();
      const file: SandboxFile = { ...readSandboxFile(dataDir), baseUrl, apiKey, wallets: demoWalletsFile(secrets.demoKeys) };
      // Where the chains were that nobody runs any more, somebody else may listen now.
      if (!areChainsOwned(dataDir)) for (const place of ["rpc", "usdc"]) delete file[place];
      writeSandboxFile(dataDir, file);
      chains = await startOrFollowChains({ secrets, solanaScriptPath });
      return apiKey;
    },
    isWell: () => models.current() !== null,
    areChainsWell: () => chains?.isWell?.() ?? false,
    stop: async () => void (await Promise.all([models.stop(), chains?.stop()])),
  };
}

type OwnChainsOptions = Pick<SandboxOptions, "solanaScriptPath"> & { secrets: SandboxSecrets };

type ChainsHere = Pick<SandboxChains, "stop"> & Partial<SandboxChains>;

/** Chains belong to a seed: a process that may open it runs them when no other does, and the rest know where they are. */
async function startOrFollowChains({ secrets, solanaScriptPath }: OwnChainsOptions): Promise<ChainsHere> {
  const dataDir = config().DATA_DIR;
  const custody = config().ROLES.includes("jobs") ? await findCustody() : null;
  if (!custody) return followChains({ dataDir, isOwner: () => false });
  const { startChains } = await import("./chains"); // much code, which no start shall wait for
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
        log().error({ err: error }, "the chains' addresses could not be written into sandbox.json");
      }
    },
  });
}

/** Milliseconds that a block may take here; the next round looks again. */
const BLOCK_WAIT_MS = 2_000;

/** The contract that payments settle at, as a transaction of the relay's: the kept chain of an earlier start has it already. */
async function deployContract(): Promise<void> {
  const terms = await findSettlementTerms();
  if (!terms || !findRelayer()) return;
  const { kind, address } = await deploySettlement(terms, { waitMs: BLOCK_WAIT_MS });
  if (kind === "deployed") log().info({ address }, "the settlement contract is on the sandbox's chain");
}
