// Waits for one transaction while a request is open: the chain is polled often, and its answer is recorded at once instead of at the next
// round.

import { setTimeout as sleep } from "node:timers/promises";
import { lookAtBase } from "./base-receipts";
import type { RelayNodes } from "./chain";
import { getRelayed, type Relayed } from "./relayed";
import { lookAtSolana } from "./solana-status";

const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 250;

/**
 * Resolves when the transaction is in a block, or lost, or `ms` milliseconds have passed; its `state` says which. It becomes final later.
 * @throws Error when nothing was stored under this id
 */
export async function waitForRelayed(id: string, ms: number, nodes: RelayNodes = {}): Promise<Relayed> {
  const deadline = performance.now() + ms;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    const relayed = await getRelayed(id);
    if (relayed.state !== "stored" && relayed.state !== "sent") return relayed;
    const isNews = await (relayed.chain === "base" ? lookAtBase(relayed, nodes) : lookAtSolana(relayed, nodes));
    if (isNews) continue;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return relayed;
    await sleep(Math.min(pauseMs, leftMs));
  }
}
