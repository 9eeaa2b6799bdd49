// The watchers that this service runs, one for each chain that it knows nodes of. Each round is counted; a trouble is logged
// when it begins and when it ends, since a chain that is away is away for hundreds of rounds.

import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { createBaseWatcher } from "./base-watcher";
import type { DepositChain } from "./deposit";
import { createSolanaWatcher } from "./solana-watcher";
import { isWatched } from "./watched";
import type { Watcher, WatchReport } from "./watcher";

export interface Watch {
  /** One round; none while no node of the chain is known, as before a sandbox's own chain has started. */
  run: (stopping: AbortSignal) => Promise<void>;
  /** After the last round: lets another process watch at once. */
  end: () => Promise<void>;
}

export const watchBase = watch({
  chain: "base",
  hasNodes: () => isWatched("base") && evmNodeUrls().length > 0,
  // A sandbox's chain has held nothing before its own service; that of a live service begins where it is.
  create: () => createBaseWatcher({ startBlock: config().MODE === "sandbox" ? 0 : undefined }),
});

export const watchSolana = watch({
  chain: "solana",
  hasNodes: () => solanaCluster().urls.length > 0,
  create: () => createSolanaWatcher(),
});

interface WatchedChain {
  chain: DepositChain;
  hasNodes: () => boolean;
  create: () => Watcher;
}

type Trouble = Exclude<WatchReport["outcome"], "read" | "elsewhere">;

interface Watching {
  watcher: Watcher | null;
  /** Logged, and not over yet. */
  trouble: Trouble | null;
}

function watch({ chain, hasNodes, create }: WatchedChain): Watch {
  const watching = processSingleton<Watching>(`watch of ${chain}`, () => ({ watcher: null, trouble: null }));
  return {
    run: async (stopping) => {
      if (!hasNodes()) return;
      const held = watching();
      held.watcher ??= create();
      const report = await held.watcher.tick(stopping);
      measure(chain, report);
      held.trouble = logTrouble(chain, report, held.trouble);
    },
    end: async () => watching().watcher?.release(),
  };
}

function measure(chain: DepositChain, report: WatchReport): void {
  const { watchRounds, watchHeadLag, watchReorgBlocks } = metrics();
  watchRounds.inc({ chain, outcome: report.outcome });
  // Of several processes only the one that watches knows.
  if (report.outcome === "elsewhere") watchHeadLag.remove({ chain });
  if (report.outcome !== "read") return;
  watchHeadLag.set({ chain }, report.headLag);
  if (report.reorgDepth > 0) watchReorgBlocks.observe({ chain }, report.reorgDepth);
}

const troubles: Readonly<Record<Trouble, string>> = {
  doubtful: "what the chain's nodes say is in doubt: deposits wait until it is not",
  failed: "the chain could not be read: deposits wait, and it is tried again",
  lost: "no block that was read before is on the chain: deposits wait until somebody has looked into it",
};

/** @returns the trouble that was logged and is not over */
function logTrouble(chain: DepositChain, report: WatchReport, logged: Trouble | null): Trouble | null {
  const { outcome } = report;
  if (outcome === "elsewhere") return null;
  if (outcome === "read") {
    if (logged) log().info({ chain }, "the chain is read again");
    return null;
  }
  if (outcome !== logged) log()[outcome === "lost" ? "error" : "warn"]({ chain, ...report }, troubles[outcome]);
  return outcome;
}
