// No single node's word: what signs somebody in or moves money counts when two nodes say the same, unless the settings accept one node's
// word. A difference between two nodes is an alarm, in log and metrics and on /status.

import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";

/** How many nodes must say the same. */
export function nodeQuorum(): 1 | 2 {
  const { MODE, SINGLE_NODE = MODE === "live" ? "refuse" : "accept" } = config();
  return SINGLE_NODE === "accept" ? 1 : 2;
}

const ALARM_MS = 3_600_000;
const MIN_LOG_EVERY_MS = 1_000;
const last = processSingleton("disagreement of nodes", () => ({ atMs: Number.NEGATIVE_INFINITY, loggedAtMs: Number.NEGATIVE_INFINITY }));

/** @param about what the nodes were asked, with names that an operator can look up; no secrets */
export function recordDisagreement(chain: "base" | "solana", about: Readonly<Record<string, unknown>>): void {
  metrics().nodeDisagreements.inc({ chain });
  const known = last();
  known.atMs = nowMs();
  // A contract can be written so that nodes of different makes differ about it: its owner must not fill the log.
  if (known.atMs - known.loggedAtMs < MIN_LOG_EVERY_MS) return;
  known.loggedAtMs = known.atMs;
  log().error(
    { chain, ...about },
    "two nodes gave different answers about one block, so nothing was decided by them: one lies or is broken. Compare both with a third one, and replace it.",
  );
}

/** False for an hour after two nodes gave different answers to this process. */
export const haveNodesAgreed = (): boolean => nowMs() - last().atMs >= ALARM_MS;
