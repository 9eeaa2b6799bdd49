// Stopping: running requests finish and are charged, new ones are sent elsewhere, and nothing is left behind.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/lib/db/testing/test-database";
import { readReadiness, requestStream, requestWhole, type Target } from "./testing/requests";
import {
  bundleService,
  childrenOf,
  cleanUpServices,
  isRunning,
  logLines,
  newDataDir,
  onCleanUp,
  type Running,
  readSandbox,
  startService,
  until,
  untilSandboxRuns,
} from "./testing/service";

let bundle: string;
let database: TestDatabase;
let service: Running;
let target: Target;
let children: number[];

beforeAll(() => {
  bundle = bundleService();
});
beforeEach(async () => {
  const made = await createTestDatabase();
  onCleanUp(() => made.drop());
  database = made;
});
afterAll(cleanUpServices);

async function start(settings: Record<string, string> = {}): Promise<void> {
  const dataDir = newDataDir();
  service = startService(bundle, { DATA_DIR: dataDir, DATABASE_URL: database.url, ...settings });
  await service.ready;
  target = readSandbox(dataDir);
  children = settings.ROLES === "web" ? childrenOf(service.pid) : await untilSandboxRuns(service.pid); // chains are of the role jobs
  expect(childrenOf(service.pid)).toHaveLength(children.length); // another service owns the database
}

async function untilHeld(count: number): Promise<void> {
  await until(`${count} holds are open`, async () => (await database.pool.query("SELECT 1 FROM hold")).rowCount === count);
}

async function expectBooks(expected: { holds: number; charges: number }): Promise<void> {
  const { rows } = await database.pool.query(
    "SELECT (SELECT count(*)::int FROM hold) AS holds, (SELECT count(*)::int FROM charge) AS charges, (SELECT count(*)::int FROM ledger_check(now())) AS broken",
  );
  expect(rows[0]).toEqual({ ...expected, broken: 0 });
}

test("SIGTERM: running requests end with 200 and are charged; new ones get 503 until the process has ended", async () => {
  await start();
  const whole = requestWhole(target, "Think it over. [[simulate: delay=6000]]");
  const stream = requestStream(target, "Speak slowly. [[simulate: tokens=12 slow=500]]");
  await untilHeld(2);
  await stream;
  service.process.kill("SIGTERM");
  await until("it is not ready", async () => (await readReadiness(target.baseUrl)).status === 503);
  expect((await readReadiness(target.baseUrl)).checks).toMatchObject({ accepting: false, database: true });
  const refused = await requestWhole(target, "One more?");
  expect(refused).toMatchObject({ status: 503, body: { code: "SHUTTING_DOWN" } });
  expect(refused.headers.get("retry-after")).toBe("1");
  expect((await fetch(`${target.baseUrl}/api/health`)).status).toBe(200);

  expect((await whole).status).toBe(200);
  expect(await (await stream).rest).toMatch(/event: done\ndata: .*"success":true/);
  expect(await service.ended).toEqual({ code: 0, signal: null });
  expect(children.filter(isRunning)).toEqual([]);
  await expectBooks({ holds: 0, charges: 2 });
  expect((await database.pool.query("SELECT FROM process")).rowCount).toBe(0);
});

test("a second signal ends the service and its children at once", async () => {
  await start();
  void requestWhole(target, "Never answer. [[simulate: hang]]").catch(() => undefined); // it is cut off
  await untilHeld(1);
  service.process.kill("SIGTERM");
  await until("it drains", () => service.output().includes("Press Ctrl-C again to stop now"));
  service.process.kill("SIGTERM");
  expect(await service.ended).toEqual({ code: 1, signal: null });
  await until("its children have ended", () => !children.some(isRunning));
  await expectBooks({ holds: 1, charges: 0 });
});

test("a hanging request is cut off after DRAIN_TIMEOUT_MS: a stream is charged for what it delivered, and no hold is left", async () => {
  await start({ DRAIN_TIMEOUT_MS: "300" });
  const hung = requestWhole(target, "Never answer. [[simulate: hang]]");
  const stream = await requestStream(target, "Stop in the middle. [[simulate: stall-after=3]]");
  await untilHeld(2);
  service.process.kill("SIGTERM");
  await expect(hung).rejects.toThrow();
  await expect(stream.rest).rejects.toThrow();
  expect(await service.ended).toEqual({ code: 0, signal: null });
  expect(logLines(service.output()).map((line) => line.msg)).toContain(
    "some requests did not finish in time; their holds expire and they are not charged",
  );
  expect(children.filter(isRunning)).toEqual([]);
  await expectBooks({ holds: 0, charges: 1 });
  const { rows } = await database.pool.query("SELECT reason FROM expired_hold");
  expect(rows).toEqual([{ reason: "process_died" }]);
  expect((await database.pool.query("SELECT FROM process")).rowCount).toBe(0);
});

test("a closed terminal (SIGHUP) drains like any other stop", async () => {
  await start({ ROLES: "web" });
  const answer = requestWhole(target, "Write much. [[simulate: tokens=4000 delay=300]]", { maxTokens: 4000 });
  await untilHeld(1);
  service.process.kill("SIGHUP");
  expect((await answer).body.text?.length).toBeGreaterThan(10_000);
  expect(await service.ended).toEqual({ code: 0, signal: null });
  expect(children.filter(isRunning)).toEqual([]);
  await expectBooks({ holds: 0, charges: 1 });
});

test("the reader of its output may go first: the service still finishes running requests and ends", async () => {
  await start({ ROLES: "web" });
  const answer = requestWhole(target, "Who listens? [[simulate: delay=300]]");
  await untilHeld(1);
  service.process.stdout?.destroy();
  service.process.stderr?.destroy();
  service.process.kill("SIGTERM");
  expect((await answer).status).toBe(200);
  expect(await service.ended).toEqual({ code: 0, signal: null });
  expect(children.filter(isRunning)).toEqual([]);
  await expectBooks({ holds: 0, charges: 1 });
});
