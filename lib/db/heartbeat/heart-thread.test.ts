// The heart in its own thread: the main thread may be busy, and the thread may fail.

import { BroadcastChannel } from "node:worker_threads";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { metrics } from "@/lib/base/observe/metrics";
import { setDatabaseUrl } from "../database-url";
import { processId } from "../heartbeat";
import {
  beatsOfADeath,
  bundleHeart,
  endHeartbeats,
  readBeat,
  shortTimes,
  startHeartbeatProcess,
  startOwnHeartbeat,
  waitForBeats,
} from "../testing/heartbeat-processes";
import { bundleProgram } from "../testing/programs";
import { openTestDatabase } from "../testing/test-database";

const database = await openTestDatabase();
const { deadAfterMs } = shortTimes;
afterEach(() => endHeartbeats(database.pool));

const beats = (id: string, count?: number) => waitForBeats(database.pool, id, count);

test("a process whose main thread is blocked for longer than deadAfterMs is not dead, and may go on writing", async () => {
  // For a living process on a busy machine.
  const times = { ...shortTimes, deadAfterMs: 2 * deadAfterMs };
  const own = await startOwnHeartbeat(times);
  const busy = await startHeartbeatProcess(database.url, times);
  await beats(busy.id);
  const wake = busy.block(3 * times.deadAfterMs);
  await beats(busy.id, 2 * beatsOfADeath);
  expect(await wake).toEqual({ mayWrite: true, isFresh: true });
  expect([own.told, busy.dead]).toEqual([[], []]);
});

test("a process whose main thread is silent for too long dies, may write nothing that it began before, and lives on", async () => {
  // In a thread, too: an observer whose own beats have gaps judges nobody.
  const own = await startOwnHeartbeat({ bundle: bundleHeart() });
  const stalled = await startHeartbeatProcess(database.url, { ...shortTimes, mainLoopTimeoutMs: deadAfterMs });
  await beats(stalled.id);
  const wake = stalled.block(8 * deadAfterMs);
  await expect.poll(own.toldIds).toEqual([stalled.id]);
  expect(await wake).toEqual({ mayWrite: false, isFresh: false });
  await beats(stalled.id, beatsOfADeath);
  expect((await stalled.block(0)).isFresh).toBe(true);
  own.told.length = 0;
  await beats(stalled.id, beatsOfADeath);
  expect(own.told).toEqual([]);
});

test.each(["throws", "hangs", "runs out of memory"])("a thread that %s is replaced, and its process stays the same", async (fault) => {
  const own = await startOwnHeartbeat({ bundle: bundleProgram("lib/db/testing/faulty-heart.ts"), hungAfterTurns: 20 });
  await beats(processId(), 2);
  const before = Number(await readBeat(database.pool, processId()));
  const channel = new BroadcastChannel("faults");
  onTestFinished(() => channel.close());
  channel.postMessage(fault);
  const restarts = async () => (await metrics().heartbeatRestarts.get()).values[0]?.value;
  await expect.poll(restarts).toBe(1);
  await beats(processId(), 3);
  await expect.poll(own.isWell).toBe(true);
  expect(Number(await readBeat(database.pool, processId()))).toBeGreaterThan(before + 2);
  expect((await database.pool.query("SELECT count(*)::int AS rows FROM process")).rows).toEqual([{ rows: 1 }]);
  metrics().heartbeatRestarts.reset();
});

test("a clean stop removes the row and ends the thread", async () => {
  const own = await startOwnHeartbeat({ bundle: bundleHeart() });
  await beats(processId());
  await own.stop();
  expect(await readBeat(database.pool, processId())).toBeNull();
  expect(own.isWell()).toBe(false);
});

test("a start without a database throws what the database said", async () => {
  const nowhere = new URL(database.url);
  nowhere.pathname = "/there_is_none";
  setDatabaseUrl(nowhere.href);
  try {
    await expect(startOwnHeartbeat({ bundle: bundleHeart() })).rejects.toMatchObject({ code: "3D000" });
  } finally {
    setDatabaseUrl(database.url);
  }
});
