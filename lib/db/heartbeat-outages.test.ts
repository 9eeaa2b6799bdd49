// Outages of all kinds, longer than deadAfterMs: the observer frozen, connections cut, the database silent or down.

import { afterEach, expect, test } from "vitest";
import { startEmbeddedPostgres } from "./embedded";
import { processId } from "./heartbeat";
import { migrate } from "./migrate";
import { createPool, inTransaction } from "./pool";
import { cleanUpEmbedded, newDataDir } from "./testing/embedded-fixture";
import {
  beatsOfADeath,
  endHeartbeats,
  insertDead,
  shortTimes,
  startHeartbeatProcess,
  startOwnHeartbeat,
  waitForBeats,
} from "./testing/heartbeat-processes";
import { openPausedProxy } from "./testing/paused-proxy";
import { openTestDatabase } from "./testing/test-database";

const database = await openTestDatabase();
const { deadAfterMs } = shortTimes;
/** For tests where a busy machine must not slow a living process, or this test, too much. */
const longer = { ...shortTimes, deadAfterMs: 2 * deadAfterMs };
const beats = (id: string, count?: number) => waitForBeats(database.pool, id, count);

afterEach(async () => {
  await endHeartbeats(database.pool);
  await cleanUpEmbedded();
});

/** Calls `act` until the time is over, more often than deadAfterMs. */
const during = (ms: number, act: () => Promise<unknown>, startedAt = performance.now()) =>
  expect.poll(() => act().then(() => performance.now() - startedAt), { interval: 300 }).toBeGreaterThan(ms);

test("a process that wakes from a freeze does not consider a process frozen with it dead", async () => {
  const own = await startOwnHeartbeat(longer);
  const [first, second] = [await startHeartbeatProcess(database.url, longer), await startHeartbeatProcess(database.url, longer)];
  second.signal("SIGSTOP");
  await beats(first.id, 2); // the first has read the last beat of the second
  first.signal("SIGSTOP");
  await expect.poll(() => own.toldIds().sort()).toEqual([first.id, second.id].sort());
  first.signal("SIGCONT");
  await beats(first.id, 2);
  second.signal("SIGCONT");
  await beats(second.id, 2 * beatsOfADeath);
  expect([first.dead, second.dead]).toEqual([[], []]);
});

test("while connections are cut again and again no process counts as dead; once they last, only one that died meanwhile does", async () => {
  const own = await startOwnHeartbeat(longer);
  const other = await startHeartbeatProcess(database.url, longer);
  const dead = await insertDead(database.pool);
  const cut = () =>
    database.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pennyprompt heartbeat' AND datname = current_database()",
    );
  await during(2 * longer.deadAfterMs, cut);
  expect([own.told, other.dead]).toEqual([[], []]);
  await expect.poll(() => [own.toldIds(), [...new Set(other.dead)]]).toEqual([[dead], [dead]]);
  await expect.poll(own.isWell).toBe(true);
});

test("a database silent for longer than deadAfterMs makes no process dead; meanwhile no process is well", async () => {
  const own = await startOwnHeartbeat();
  const other = await startHeartbeatProcess(database.url);
  await inTransaction(async (transaction) => {
    await transaction.query("LOCK TABLE process");
    await expect.poll(own.isWell).toBe(false);
    await during(deadAfterMs, async () => undefined);
  });
  await expect.poll(own.isWell).toBe(true);
  await Promise.all([processId(), other.id].map((id) => beats(id, beatsOfADeath)));
  expect([own.told, other.dead]).toEqual([[], []]);
});

test("a process that starts while the database answers late gets its first heartbeat", async () => {
  const proxy = await openPausedProxy(database.url);
  try {
    proxy.pause();
    const starting = startHeartbeatProcess(proxy.url, longer);
    // Longer than any later connection may take.
    await during(4_000, async () => undefined);
    proxy.resume();
    await beats((await starting).id, 2);
  } finally {
    proxy.close();
  }
});

test("a database restart makes no process dead", async () => {
  const embedded = { dataDir: newDataDir({ prepared: true }), settings: { fsync: "off" } };
  const server = await startEmbeddedPostgres(embedded);
  await migrate({ url: server.url });
  const processes = [await startHeartbeatProcess(server.url), await startHeartbeatProcess(server.url)];
  await server.stop();
  await during(2 * deadAfterMs, async () => undefined);
  const again = await startEmbeddedPostgres(embedded); // removed after the test, with its directory
  const restarted = createPool(again.url, 2);
  expect(again.url).toBe(server.url);
  await Promise.all(processes.map(({ id }) => waitForBeats(restarted, id, beatsOfADeath)));
  expect(processes.map(({ dead }) => dead)).toEqual([[], []]);
  await restarted.end();
});
