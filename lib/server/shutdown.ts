// Stopping in order: refuse what is new, finish what runs, then stop what it needed. Nothing is freed twice: each hold ends
// with its own request, and what a process could not finish is the reaper's.

import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { closeLimits } from "@/lib/access/limits/limiter";
import { writeKeyUses } from "@/lib/access/last-used";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { closeHotPool } from "@/lib/db/hot-pool";
import { closePool } from "@/lib/db/pool";
import { refuseNewRequests } from "@/lib/gateway/drain";
import { settlementsIdle } from "@/lib/gateway/settle-batch";
import { closeProviderPools } from "@/lib/providers/transport";

export interface Stoppable {
  name: string;
  stop: () => Promise<unknown>;
}

const LOOK_EVERY_MS = 20;

/** Finishes what runs within DRAIN_TIMEOUT_MS, then stops everything, last started first. */
export async function drain(server: Server, running: readonly Stoppable[]): Promise<void> {
  // It goes on listening, so that new requests are told to go elsewhere instead of being cut off.
  refuseNewRequests();
  const inTime = await requestsEnded(config().DRAIN_TIMEOUT_MS);
  if (!inTime) log().warn("not every request ended in time; their holds expire and nothing is charged for them");
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
  await settlementsIdle();
  await step("key uses", writeKeyUses);
  await step("limits", closeLimits);
  await step("provider connections", closeProviderPools);
  const parts = [...running].reverse();
  // The database goes last, after the connections to it.
  for (const part of parts.filter((one) => one.name !== "database")) await step(part.name, part.stop);
  await step("connections", async () => {
    await closeHotPool();
    await closePool();
  });
  for (const part of parts.filter((one) => one.name === "database")) await step(part.name, part.stop);
}

async function requestsEnded(timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (performance.now() < until) {
    const { values } = await metrics().inFlight.get();
    if ((values[0]?.value ?? 0) === 0) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

/** One step that fails must not keep the others from being taken. */
async function step(name: string, stop: () => Promise<unknown>): Promise<void> {
  try {
    await stop();
  } catch (error) {
    log().error({ err: error, part: name }, "stopping a part failed");
  }
}
