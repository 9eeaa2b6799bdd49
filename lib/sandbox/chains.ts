// The sandbox's own chains, started beside the rest, which never waits for them. A chain that does not start is tried again; one
// that falls comes back by itself. Of several processes on one data directory one runs them, and another when that one ends.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";
import { log } from "@/lib/base/observe/log";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { type OwnerLock, takeOwnerLock } from "@/lib/db/embedded/owner-lock";
import { demoSigners } from "./demo-wallets";
import { type EvmChain, startEvmChain } from "./evm-chain/start";
import { fundOnEvm, fundOnSolana } from "./fund-wallets";
import type { SandboxSecrets } from "./secrets";
import { type SolanaChain, startSolanaChain } from "./solana-chain/start";

export interface ChainsOptions {
  /** The chains are kept in `chains/` below it. */
  dataDir: string;
  /** Where Solana's test USDC has its mint. */
  usdcMint: string;
  secrets: Pick<SandboxSecrets, "chainKeys" | "demoKeys">;
  /** Called when both chains run, and whenever one has moved. */
  onPlaces: (places: ChainPlaces) => void;
  /** Milliseconds until they begin to start: whoever asks first after a start is answered without them in the way. */
  pauseMs?: number;
  /** The built program of the Solana chain; by default it lies beside the built server. */
  solanaScriptPath?: string;
}

/** As sandbox.json tells them. */
export interface ChainPlaces {
  rpc: { base: string; solana: string };
  usdc: { base: string; solana: string };
}

export interface SandboxChains {
  /** False until both run, and while one is away. */
  isWell: () => boolean;
  stop: () => Promise<void>;
}

/** Starts both chains in the background. */
export function startChains(options: ChainsOptions): SandboxChains {
  const urls: { base?: string; solana?: string } = {};
  const chains: { base?: EvmChain; solana?: SolanaChain } = {};
  const tell = () => {
    const { base, solana } = urls;
    if (!(base && solana && chains.base && chains.solana)) return;
    options.onPlaces({ rpc: { base, solana }, usdc: { base: chains.base.usdc, solana: chains.solana.usdcMint } });
  };
  const { pauseMs = START_PAUSE_MS } = options;
  const evm = startBeside("EVM chain", pauseMs, async () => {
    const onUrl = (url: string) => {
      urls.base = url;
      setSandboxEvmNodes([url]);
      tell();
    };
    const chain = await startOwnedEvmChain(options, onUrl);
    chains.base = chain;
    tell();
    const wallet = demoSigners(options.secrets.demoKeys).evm.address as Hex;
    return { chain, fund: () => fundOnEvm(chain, wallet) };
  });
  const solana = startBeside("Solana chain", pauseMs, async () => {
    const onUrl = (url: string) => {
      urls.solana = url;
      // At the first start the chain says only afterwards which one it is.
      if (chains.solana) setSandboxSolanaNodes([url], chains.solana.genesisHash);
      tell();
    };
    const { dataDir, usdcMint, solanaScriptPath: scriptPath } = options;
    const chain = await startSolanaChain({ dataDir, usdcMint, scriptPath, onUrl });
    chains.solana = chain;
    setSandboxSolanaNodes([chain.url()], chain.genesisHash);
    tell();
    const [wallet, ...others] = solanaPayers(options.secrets);
    return { chain, fund: () => fundOnSolana(chain, { wallet, payers: [wallet, ...others] }) };
  });
  return {
    isWell: () => evm.isWell() && solana.isWell(),
    stop: async () => void (await Promise.all([evm.stop(), solana.stop()])),
  };
}

function solanaPayers({ demoKeys, chainKeys }: ChainsOptions["secrets"]): [string, ...string[]] {
  const addressOf = (keys: typeof demoKeys) => demoSigners(keys).solana.address;
  return [addressOf(demoKeys), addressOf(chainKeys.relayer), addressOf(chainKeys.treasury)];
}

/** The node itself would let two processes write one state. */
async function startOwnedEvmChain({ dataDir, secrets }: ChainsOptions, onUrl: (url: string) => void): Promise<EvmChain> {
  const { chainKeys, demoKeys } = secrets;
  const gasFor = [demoKeys, chainKeys.relayer, chainKeys.treasury].map((keys) => demoSigners(keys).evm.address as Hex);
  const folder = join(dataDir, "chains", "evm.lock");
  mkdirSync(folder, { recursive: true });
  const lock = takeLock(folder);
  try {
    const chain = await startEvmChain({ dataDir, minterKey: chainKeys.minter as Hex, gasFor, onUrl });
    return { ...chain, stop: () => chain.stop().finally(lock.release) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function takeLock(folder: string): OwnerLock {
  try {
    return takeOwnerLock(folder);
  } catch (cause) {
    throw new Error("Another process on this DATA_DIR runs the sandbox's EVM chain.", { cause });
  }
}

interface Chain {
  isWell: () => boolean;
  stop: () => Promise<void>;
}

const START_PAUSE_MS = 500;
const FIRST_RETRY_MS = 500;
const MOST_RETRY_MS = 60_000;

/** @param name as it reads in the log: `EVM chain` */
function startBeside(name: string, firstPauseMs: number, start: () => Promise<{ chain: Chain; fund: () => Promise<void> }>): Chain {
  const stopping = new AbortController();
  let chain: Chain | null = null;
  // Stopping ends it.
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  const starting = run();

  async function run(): Promise<void> {
    await pause(firstPauseMs);
    for (let retryMs = FIRST_RETRY_MS; !stopping.signal.aborted; retryMs = Math.min(2 * retryMs, MOST_RETRY_MS)) {
      try {
        const started = await start();
        chain = started.chain;
        void started.fund().catch(sayUnfunded);
        return;
      } catch (error) {
        log().error({ err: error }, `the ${name} did not start; trying again`);
      }
      await pause(retryMs);
    }
  }

  function sayUnfunded(error: unknown): void {
    if (!stopping.signal.aborted)
      log().warn({ err: error }, `the demo wallet was given nothing on the ${name}; the next start tries again`);
  }

  return {
    isWell: () => chain?.isWell() ?? false,
    stop: async () => {
      stopping.abort();
      await starting;
      await chain?.stop();
    },
  };
}
