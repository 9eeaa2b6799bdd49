// A process stalls while it streams an answer, and nobody takes it for dead: the stream goes on, arrives whole and is charged once. What
// happens when its holds were freed is in dead-process.test.ts.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPausedProxy, type PausedProxy } from "@/lib/db/testing/paused-proxy";
import { followStream } from "./testing/requests";
import { cleanUpServices, onCleanUp, until } from "./testing/service";
import { blockMainThread, type Sharing, shareDatabase } from "./testing/shared-database";

let database: Awaited<ReturnType<typeof shareDatabase>>;
let proxy: PausedProxy;
let stalled: Sharing;
beforeAll(async () => {
  database = await shareDatabase();
  proxy = await openPausedProxy(database.url);
  onCleanUp(proxy.close);
  stalled = await database.start("web", proxy.url);
});
afterAll(cleanUpServices);

const slow = (tokens: number) => `Take your time. [[simulate: slow=100 tokens=${tokens}]]`;

async function expectChargedOnce(key: string): Promise<void> {
  expect(
    await database.query(
      `SELECT c.outcome, c.late, c.operator_loss > 0 AS is_loss FROM charge c JOIN idempotent_reply r USING (request_id)
       WHERE r.idempotency_key = '${key}'`,
    ),
  ).toEqual([{ outcome: "complete", late: false, is_loss: false }]);
  expect(await database.query("SELECT FROM expired_hold")).toEqual([]);
}

test("a main thread that is blocked for seven seconds is no death: its stream arrives whole and is charged once", async () => {
  const other = await database.start("jobs");
  const stream = await followStream(stalled, slow(40), { "idempotency-key": "blocked" });
  await stream.begun();
  const blockedAt = performance.now();
  blockMainThread(stalled, 7_000);
  await until("it is nearly over", async () => {
    expect(await database.countHolds()).toBe(1);
    return performance.now() - blockedAt > 6_500;
  });
  expect(await stream.ended).toBe("whole");
  expect(stream.longestPauseMs()).toBeGreaterThan(6_000);
  await expectChargedOnce("blocked");
  const { eventLoopDelayMs } = (await (await fetch(`${stalled.baseUrl}/api/ready`)).json()) as { eventLoopDelayMs: number };
  expect(eventLoopDelayMs).toBeGreaterThan(6_000);
  await database.stop(other);
});

test("a stream whose database is away for six seconds pauses, goes on, and is charged once", async () => {
  const stream = await followStream(stalled, slow(90), { "idempotency-key": "away" });
  await stream.begun();
  proxy.pause();
  await sleep(6_000);
  proxy.resume();
  expect(await stream.ended).toBe("whole");
  expect(stream.longestPauseMs()).toBeGreaterThan(1_000);
  await expectChargedOnce("away");
  const metrics = await (await fetch(`${stalled.baseUrl}/api/metrics`)).text();
  expect(metrics).toContain('pennyprompt_paused_streams_total{outcome="resumed"} 1');
  await database.stop(stalled);
});
