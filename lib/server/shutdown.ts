// Stopping in order: refuse new requests, finish running ones, then stop what they needed. Nothing is freed twice: each hold ends with its
// own request, and holds that a process could not finish are freed at its end. No step can block the process forever.

import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { writeFailedRequests } from "@/lib/access/failures/record-failed";
import { writeKeyUses } from "@/lib/access/key-cache";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processId } from "@/lib/db/heartbeat";
import { closePool } from "@/lib/db/pool";
import { refuseNewRequests } from "@/lib/gateway/http/endpoint";
import { commit } from "@/lib/gateway/prompt/commit";
import { closeCommitConnections } from "@/lib/ledger/commit/connections";
import { expireHolds } from "@/lib/ledger/expire-holds";
import { reportLeftCharges, tryWaitingSettlements } from "@/lib/ledger/waiting-settlements";
import { stopCounting } from "@/lib/providers/token-count/token-counter";
import { closeProviderPools } from "@/lib/providers/transport";

export interface Stoppable {
  name: string;
  stop: () => Promise<unknown>;
  /** Five seconds unless it says otherwise. */
  mostMs?: number;
}

const LOOK_EVERY_MS = 20;
/** For answers that are written but not yet read, and for the charges of streams that were cut. */
const MAX_CLOSING_MS = 2_000;
const MAX_STEP_MS = 5_000;

/**
 * Finishes running requests within DRAIN_TIMEOUT_MS, then stops everything, last started first. `children` are told at once, so that streams
 * of their pages end.
 */
export async function drain(server: Server, running: readonly Stoppable[], children?: { drain: () => void }): Promise<void> {
  // The server keeps listening, so that new requests get a 503 instead of being cut off.
  refuseNewRequests();
  children?.drain();
  const inTime = await requestsEnded(config().DRAIN_TIMEOUT_MS);
  if (!inTime) log().warn("some requests did not finish in time; their holds expire and they are not charged");
  await closeServer(server, inTime);
  await step("settlements", () => commit().idle());
  await step("settlements that wait", tryWaitingSettlements);
  reportLeftCharges();
  // The holds that are left have no request any more that could settle them.
  await step("holds", () => expireHolds(commit(), processId()));
  await step("key uses", writeKeyUses);
  await step("failed requests", writeFailedRequests);
  await step("provider connections", closeProviderPools);
  await stopParts(running);
}

/** Stops the started parts, last started first. The database goes last, after the connections to it. */
export async function stopParts(running: readonly Stoppable[]): Promise<void> {
  const parts = [...running].reverse();
  const databases = parts.filter((one) => one.name === "database");
  for (const part of parts.filter((one) => one.name !== "database")) await step(part.name, part.stop, part.mostMs);
  if (databases.length > 0) await step("connections", () => Promise.all([closeCommitConnections(), closePool()]));
  // A database has its own time limits, and leaving it running would be worse than waiting.
  for (const part of databases) await step(part.name, part.stop, Number.POSITIVE_INFINITY);
}

/** Whole answers reach their clients before the connections are cut; when the time is up, open ones are cut at once. */
async function closeServer(server: Server, inTime: boolean): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  if (inTime) await Promise.race([closed, sleep(MAX_CLOSING_MS, undefined, { ref: false })]);
  // The charges of cut streams wait for no count.
  if (!inTime) stopCounting();
  server.closeAllConnections();
  // A cut stream is charged for the part that it delivered.
  if (!inTime) await requestsEnded(MAX_CLOSING_MS);
}

async function requestsEnded(timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const { values } = await metrics().inFlight.get();
    if ((values[0]?.value ?? 0) === 0) return true;
    if (performance.now() >= until) return false;
    await sleep(LOOK_EVERY_MS);
  }
}

/** A step that fails or hangs must not block the others. */
async function step(name: string, stop: () => Promise<unknown>, mostMs = MAX_STEP_MS): Promise<void> {
  try {
    const stopped = stop().then(() => true);
    const inTime = Number.isFinite(mostMs) ? await Promise.race([stopped, sleep(mostMs, false, { ref: false })]) : await stopped;
    if (!inTime) log().warn({ part: name }, "a part did not stop in time; continuing without it");
  } catch (error) {
    log().error({ err: error, part: name }, "stopping a part failed");
  }
}
