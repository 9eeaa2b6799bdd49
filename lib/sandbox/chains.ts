// The sandbox's own chains, started in the background; only readiness waits for them, the first time. Of several processes on one data directory one runs both;
// the others use the URLs in sandbox.json, and one takes the chains over when the owner ends.

import type { Hex } from "viem";
import type { ChainId } from "@/lib/base/chains";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import type { Custody } from "@/lib/wallets/custody/custody";
import { backGrants } from "./back-grants";
import { chainsOwner } from "./chains-owner";
import { readGranted } from "./demo-account";
import { demoSigners } from "./demo-wallets";
import { startEvmChain } from "./evm-chain/start";
import { followChains } from "./follow-chains";
import { giveSol, giveUsdcOnEvm, giveUsdcOnSolana } from "./fund-wallets";
import type { SandboxSecrets } from "./secrets";
import { startSolanaChain } from "./solana-chain/process";
import { type StartedChain, startBeside } from "./start-beside";

export interface ChainsOptions {
  /** The chains' data is in `chains/` below it. */
  dataDir: string;
  /** The mint of Solana's test USDC, and the operator's own addresses, which get fees and the grants' backing. */
  custody: Pick<Custody, "usdcMint" | "treasury" | "relayer" | "sponsor">;
  secrets: Pick<SandboxSecrets, "chainKeys" | "demoKeys">;
  /** Deploys the settlement contract to the EVM chain unless it is there; called repeatedly. */
  deployContract?: () => Promise<void>;
  /** Called when both chains run, and whenever one has a new URL. */
  onPlaces: (places: ChainPlaces) => void;
  /** The built program of the Solana chain; by default beside the built server. */
  solanaScriptPath?: string;
}

/** The URLs in sandbox.json. */
export interface ChainPlaces {
  rpc: { base: string; solana: string };
  usdc: { base: string; solana: string };
}

export interface SandboxChains {
  /** False until both run, and while one is down. */
  isWell: () => boolean;
  stop: () => Promise<void>;
}

/** Starts both chains in the background. */
export function startChains(options: ChainsOptions): SandboxChains {
  const owner = chainsOwner(options.dataDir);
  const places = placesReporter(options);
  const evm = startBeside("EVM chain", () => {
    owner.take();
    return startEvm(options, places.base);
  });
  const solana = startBeside("Solana chain", () => {
    owner.take();
    return startSolana(options, places.solana);
  });
  const following = followChains({ dataDir: options.dataDir, isOwner: owner.isOwner });
  return {
    isWell: () => evm.isWell() && solana.isWell(),
    stop: async () => {
      await Promise.all([evm.stop(), solana.stop(), following.stop()]).finally(owner.release);
    },
  };
}

type ReportPlace = (place: { url: string; usdc: string }) => void;

/** Reports the URLs of both chains once both are known, and whenever one changes. */
function placesReporter({ onPlaces }: ChainsOptions): Record<ChainId, ReportPlace> {
  const known: Partial<Record<ChainId, Parameters<ReportPlace>[0]>> = {};
  const report = () => {
    const { base, solana } = known;
    if (base && solana) onPlaces({ rpc: { base: base.url, solana: solana.url }, usdc: { base: base.usdc, solana: solana.usdc } });
  };
  const reporterOf = (chain: ChainId) => (place: Parameters<ReportPlace>[0]) => {
    known[chain] = place;
    report();
  };
  return { base: reporterOf("base"), solana: reporterOf("solana") };
}

async function startEvm({ dataDir, secrets, custody, deployContract }: ChainsOptions, onPlace: ReportPlace): Promise<StartedChain> {
  const wallet = demoSigners(secrets.demoKeys).evm.address as Hex;
  const { relayer, treasury } = custody;
  let usdc: string | null = null;
  const chain = await startEvmChain({
    dataDir,
    minterKey: secrets.chainKeys.minter as Hex,
    gasFor: [wallet, relayer.base],
    onUrl: (url) => {
      setSandboxEvmNodes([url]);
      // At the first start the token's address is known only after the chain runs.
      if (usdc) onPlace({ url, usdc });
    },
  });
  usdc = chain.usdc;
  onPlace({ url: chain.url(), usdc });
  const fund = async (round: number) => {
    if (round === 0) await giveUsdcOnEvm(chain, wallet);
    await chain.fundGas(relayer.base);
    await backGrants(chain, { treasury: treasury.base, readGranted });
    await deployContract?.();
  };
  return { chain, fund };
}

async function startSolana({ dataDir, secrets, custody, solanaScriptPath }: ChainsOptions, onPlace: ReportPlace): Promise<StartedChain> {
  const wallet = demoSigners(secrets.demoKeys).solana.address;
  const { usdcMint, treasury, sponsor } = custody;
  let genesisHash: string | null = null;
  const chain = await startSolanaChain({
    dataDir,
    usdcMint,
    scriptPath: solanaScriptPath,
    onUrl: (url) => {
      // At the first start the genesis hash is known only after the chain runs.
      if (!genesisHash) return;
      setSandboxSolanaNodes([url], genesisHash);
      onPlace({ url, usdc: usdcMint });
    },
  });
  genesisHash = chain.genesisHash;
  setSandboxSolanaNodes([chain.url()], genesisHash);
  onPlace({ url: chain.url(), usdc: usdcMint });
  const fund = async (round: number) => {
    await giveSol(chain, [wallet, treasury.solana, sponsor.solana]);
    if (round === 0) await giveUsdcOnSolana(chain, wallet);
  };
  return { chain, fund };
}
