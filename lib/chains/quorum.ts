// No single node's word: a fact that signs somebody in or moves money counts when two nodes say the same, unless the settings accept one
// node's word. A difference between two nodes is an alarm, in log and metrics and on /status.

import type { ChainId } from "@/lib/base/chains";
import { HOUR_MS, nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";

/** How many nodes must say the same. */
export function nodeQuorum(): 1 | 2 {
  const { MODE, SINGLE_NODE = MODE === "live" ? "refuse" : "accept" } = config();
  return SINGLE_NODE === "accept" ? 1 : 2;
}

/** How many of `answers` must agree: two where two are given, and never fewer than the settings require. */
export const enoughOf = ({ quorum }: { readonly quorum: number }, answers: number): number => Math.max(quorum, Math.min(2, answers));

/** The largest group of answers that are the same as one of them; the first such group when there are several. */
export function mostAlike<T>(answers: readonly T[], isSame: (one: T, other: T) => boolean): T[] {
  const groups = answers.map((one) => answers.filter((other) => isSame(one, other)));
  return groups.reduce((most, group) => (group.length > most.length ? group : most), []);
}

const ALARM_MS = HOUR_MS;
const MIN_LOG_EVERY_MS = 1_000;
const NEVER = Number.NEGATIVE_INFINITY;
const last = processSingleton("disagreement of nodes", () => ({ atMs: NEVER, loggedAtMs: NEVER, differedAtMs: NEVER }));

/** @param about what the nodes were asked, with names that an operator can look up; no secrets */
export function recordDisagreement(chain: ChainId, about: Readonly<Record<string, unknown>>): void {
  metrics().nodeDisagreements.inc({ chain });
  const known = last();
  known.atMs = nowMs();
  // A contract can be written so that nodes of different makes differ about it: its owner must not fill the log.
  if (known.atMs - known.loggedAtMs < MIN_LOG_EVERY_MS) return;
  known.loggedAtMs = known.atMs;
  log().error(
    { chain, ...about },
    "two nodes gave different answers about one block, so at least one lies or is broken. Compare both with a third one, and replace it.",
  );
}

/** A reorganisation, in which one node is a moment behind the others, is over by then. */
const REORGANISATION_MS = 30_000;

/** Nodes show different blocks at the tip of the chain: a disagreement once it happens again when a reorganisation would be over. */
export function recordDifferenceAtTip(chain: ChainId, about: Readonly<Record<string, unknown>>): void {
  const known = last();
  const sinceMs = nowMs() - known.differedAtMs;
  if (sinceMs >= ALARM_MS) known.differedAtMs = nowMs();
  else if (sinceMs >= REORGANISATION_MS) recordDisagreement(chain, about);
}

/** False for an hour after two nodes gave different answers to this process. */
export const haveNodesAgreed = (): boolean => nowMs() - last().atMs >= ALARM_MS;
