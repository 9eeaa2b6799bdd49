// The service's watchers, one per chain with known nodes. Each round is counted; a problem is logged when it begins and when it ends, since
// an outage lasts for hundreds of rounds.

import type { ChainId } from "@/lib/base/chains";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { createBaseWatcher } from "./base-watcher";
import { createSolanaWatcher } from "./solana-watcher";
import { isWatched } from "./watched";
import type { Watcher, WatchReport } from "./watcher";

export interface Watch {
  /** One round; does nothing while no node of the chain is known, as before a sandbox's own chain has started. */
  run: (stopping: AbortSignal) => Promise<void>;
  /** After the last round: lets another process watch immediately. */
  end: () => Promise<void>;
}

export const watchBase = watch({
  chain: "base",
  hasNodes: () => isWatched("base") && evmNodeUrls().length > 0,
  // A sandbox's chain is watched from its first block; in live mode watching starts at the current final block.
  create: () => createBaseWatcher({ startBlock: config().MODE === "sandbox" ? 0 : undefined }),
});

export const watchSolana = watch({
  chain: "solana",
  hasNodes: () => solanaCluster().urls.length > 0,
  create: () => createSolanaWatcher(),
});

interface WatchedChain {
  chain: ChainId;
  hasNodes: () => boolean;
  create: () => Watcher;
}

type Trouble = Exclude<WatchReport["outcome"], "read" | "elsewhere">;

interface Watching {
  watcher: Watcher | null;
  /** The logged problem that is not over. */
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

function measure(chain: ChainId, report: WatchReport): void {
  const { watchRounds, watchHeadLag, watchReorgBlocks } = metrics();
  watchRounds.inc({ chain, outcome: report.outcome });
  // Only the watching process knows the lag.
  if (report.outcome === "elsewhere") watchHeadLag.remove({ chain });
  if (report.outcome !== "read") return;
  watchHeadLag.set({ chain }, report.headLag);
  if (report.reorgDepth > 0) watchReorgBlocks.observe({ chain }, report.reorgDepth);
}

const troubles: Readonly<Record<Trouble, string>> = {
  doubtful: "the chain's nodes disagree: deposits wait until they agree",
  failed: "the chain could not be read: deposits wait; retrying",
  lost: "the chain no longer has any block that was read: deposits wait until an operator checks the nodes",
};

/** @returns the logged problem that is not over */
function logTrouble(chain: ChainId, report: WatchReport, logged: Trouble | null): Trouble | null {
  const { outcome } = report;
  if (outcome === "elsewhere") return null;
  if (outcome === "read") {
    if (logged) log().info({ chain }, "the chain can be read again");
    return null;
  }
  if (outcome !== logged) log()[outcome === "lost" ? "error" : "warn"]({ chain, ...report }, troubles[outcome]);
  return outcome;
}
