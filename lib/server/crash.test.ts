// Sudden deaths, with real disk writes (fsync on): of the service, its database and its simulated models. No acknowledged charge
// is lost, the books stay clean, and our child processes are restarted automatically.

import { renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFailed, test } from "vitest";
import { runningPostgresUrl } from "@/lib/db/embedded";
import { findKeptAt } from "@/lib/db/embedded/home";
import { queryOnce } from "@/lib/db/testing/embedded-fixture";
import { isLong } from "@/lib/db/testing/sample";
import { databaseDirectory } from "@/lib/db/testing/scratch";
import { type PromptAnswer, readBalance, readReadiness, requestWhole, type Target } from "./testing/requests";
import { startRetryingClients } from "./testing/retrying";
import {
  bundleService,
  childrenOf,
  cleanUpServices,
  databasePid,
  isRunning,
  newDataDir,
  type Running,
  readSandbox,
  runCheckLedger,
  startService,
  until,
  untilSandboxRuns,
} from "./testing/service";

let bundle: string;
let dataDir: string;
let service: Running;
let target: Target;

/** Chosen by the system at the first start, and kept: as behind a real address, clients find the restarted service at once. */
let port = "0";

/** Returns the milliseconds that the start took. */
async function start(): Promise<number> {
  const startedAt = performance.now();
  // One account creates the whole load, above its normal rate limit.
  service = startService(bundle, { DATA_DIR: dataDir, PORT: port, RATE_LIMIT_PER_MINUTE: "1000000", CONCURRENCY_LIMIT: "100" });
  await service.ready;
  target = readSandbox(dataDir);
  port = new URL(target.baseUrl).port;
  return performance.now() - startedAt;
}

beforeAll(async () => {
  bundle = bundleService();
  dataDir = newDataDir({ prepared: true });
  await start();
});
afterAll(cleanUpServices);

const home = () => join(dataDir, databaseDirectory);
const query = async (sql: string) => queryOnce((await runningPostgresUrl(home())) ?? "", sql);
const acknowledged: PromptAnswer[] = [];
const failed: PromptAnswer[] = [];

/** Sends requests from eight clients at once until it is stopped; a request without an answer counts neither as served nor as failed. */
function load(): { stop: () => Promise<void> } {
  let stopping = false;
  const client = async () => {
    while (!stopping) {
      const answer = await requestWhole(target, "Count me. [[simulate: tokens=5]]").catch(() => null);
      if (answer) (answer.status === 200 ? acknowledged : failed).push(answer);
    }
  };
  const clients = Array.from({ length: 8 }, client);
  onTestFailed(() => {
    stopping = true;
  });
  return {
    stop: async () => {
      stopping = true;
      await Promise.all(clients);
    },
  };
}

async function expectAllCharged(): Promise<void> {
  const charged = new Map(
    (await query("SELECT request_id, input_cost + output_cost AS cost FROM charge")).map((row) => [row.request_id, Number(row.cost)]),
  );
  for (const { body } of acknowledged) expect(charged.get(body.requestId)).toBe(Math.round((body.cost?.totalCost ?? 0) * 1e9));
}

test("kill -9 of the service under load: after a restart every acknowledged charge is there, and held money is freed once", async () => {
  const clients = load();
  void requestWhole(target, "Never answer. [[simulate: hang]]").catch(() => undefined); // it fails when the service dies
  await until("the load is under way", () => acknowledged.length >= 50);
  const children = await untilSandboxRuns(service.pid);
  service.process.kill("SIGKILL");
  await service.ended;
  await clients.stop();
  await until("the simulated models and the chains have ended", () => !children.some(isRunning));

  const [left] = await query("SELECT count(*)::int AS count, sum(ceiling)::bigint AS total FROM hold"); // its database still runs
  expect(left?.count).toBeGreaterThanOrEqual(1);
  const startMs = await start();
  expect(service.output()).toContain("that an earlier run left behind");
  await expectAllCharged();
  // The holds of a dead process are freed after five seconds; a slow start may find none any more.
  if (startMs < 4_000) expect((await readBalance(target)).held).toBe(Number(left?.total) / 1e9);

  // Their deadline is minutes away: the new process notices that the old one is dead.
  await until("the holds of the dead process are freed", async () => (await query("SELECT 1 FROM hold")).length === 0);
  expect((await readBalance(target)).held).toBe(0);
  const [expired] = await query("SELECT count(*)::int AS count FROM expired_hold WHERE reason = 'process_died'");
  expect(expired?.count).toBe(left?.count);
  expect(await runCheckLedger(bundle, { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
});

const kills = isLong ? 100 : 1;

test(
  "kill -9 under load: interrupted clients retry with their Idempotency-Key and are answered within ten seconds of the kill",
  async () => {
    const [before] = await query("SELECT count(*)::int AS charges FROM charge");
    const clients = startRetryingClients(24, () => target, "Count me once. [[simulate: tokens=5 delay=300]]");
    onTestFailed(clients.abandon);
    const times: number[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const known = clients.answered.length;
      await until("the load is under way", () => clients.answered.length >= known + 24);
      await sleep(Math.random() * 300);
      service.process.kill("SIGKILL");
      const killedAt = performance.now();
      await service.ended;
      const startMs = await start();
      const interrupted = () => clients.answered.filter(({ askedAt, answeredAt }) => askedAt < killedAt && answeredAt > killedAt);
      await until("they are answered", () => interrupted().length === 24);
      const waits = interrupted().map(({ answeredAt }) => answeredAt - killedAt);
      times.push(...waits);
      // A claim outlives its process by five seconds; a slower start finds none any more.
      if (startMs < 5_000) expect(interrupted().some(({ failures }) => failures.includes(409))).toBe(true);
      // Ten seconds on a machine that starts the service in some two and a half; a busier one has as much more time as its start takes.
      expect(Math.max(...waits)).toBeLessThan(Math.max(10_000, 5_000 + 2 * startMs));
    }
    await clients.stop();
    printTimes(times);
    // Each question was charged once, however often it was sent.
    const [after] = await query("SELECT count(*)::int AS charges FROM charge");
    expect(Number(after?.charges) - Number(before?.charges)).toBe(clients.answered.length);
    acknowledged.push(...clients.answered.map(({ answer }) => answer));
    await expectAllCharged();
    expect(await runCheckLedger(bundle, { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
  },
  60_000 + kills * 30_000,
);

function printTimes(times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const [least, median, most] = [0, 0.5, 1].map((share) => Math.round(sorted[Math.round(share * (sorted.length - 1))] ?? 0));
  const what = `From kill -9 to the answer, of ${sorted.length} requests in ${kills} kills`;
  process.stdout.write(`${what}: ${least}, ${median} and ${most} ms (min, median, max).\n`);
}

test("kill -9 of PostgreSQL under load: it is restarted, requests fail cleanly meanwhile, and an answer under way is still charged", async () => {
  const clients = load();
  const before = databasePid(dataDir);
  const slow = requestWhole(target, "Take your time. [[simulate: delay=1500]]");
  const isHeldLong = async () => (await query("SELECT 1 FROM hold WHERE placed_at < now() - interval '0.5 s'")).length > 0;
  await until("the slow one is with its model", isHeldLong);
  const count = acknowledged.length;
  process.kill(before, "SIGKILL");
  await until("requests are answered again", () => acknowledged.length >= count + 100);
  await clients.stop();

  expect(isRunning(before)).toBe(false);
  expect(databasePid(dataDir)).not.toBe(before);
  expect((await slow).status).toBe(200);
  acknowledged.push(await slow);
  for (const { status, body } of failed)
    expect({ status, code: body.code, details: body.details }).toMatchObject({
      status: 500,
      code: "INTERNAL_ERROR",
      details: { retryable: true },
    });
  await expectAllCharged();
  expect((await readReadiness(target.baseUrl)).status).toBe(200);
  // A hold whose commit was under way may exist although its request got an error: it is released all the same.
  await until("no hold is left", async () => (await query("SELECT 1 FROM hold")).length === 0);
  expect(await runCheckLedger(bundle, { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
});

test("killed simulated models are restarted", async () => {
  const [models = 0] = childrenOf(service.pid, "simulated-models.mjs");
  process.kill(models, "SIGKILL");
  await until("others run", () => childrenOf(service.pid, "simulated-models.mjs").some((pid) => pid !== models));
  await until("it is ready", async () => (await readReadiness(target.baseUrl)).status === 200);
  await until("a prompt is answered", async () => (await requestWhole(target, "Are you back?")).status === 200);
});

test.each(["/bin/anvil", "solana-chain.mjs"])("a killed chain (%s) is restarted, and requests are answered meanwhile", async (program) => {
  const areChainsWell = async () => (await readReadiness(target.baseUrl)).checks.chains === true;
  await until("the chains run", areChainsWell);
  const [chain = 0] = childrenOf(service.pid, program);
  process.kill(chain, "SIGKILL");
  expect((await readReadiness(target.baseUrl)).status).toBe(200);
  expect((await requestWhole(target, "Do you need a chain?")).status).toBe(200);
  await until("another runs", () => childrenOf(service.pid, program).some((pid) => pid !== chain));
  await until("the chains run again", areChainsWell);
});

test("a database that cannot be restarted ends the service with code 1 and the reason", async () => {
  const cluster = join(findKeptAt(home()) ?? home(), "cluster");
  const children = childrenOf(service.pid);
  renameSync(join(cluster, "global/pg_control"), join(cluster, "global/pg_control.away"));
  process.kill(databasePid(dataDir), "SIGKILL");
  expect(await service.ended).toEqual({ code: 1, signal: null });
  expect(service.output()).toContain("The embedded PostgreSQL ended and could not be restarted");
  expect(children.filter(isRunning)).toEqual([]);

  renameSync(join(cluster, "global/pg_control.away"), join(cluster, "global/pg_control"));
  await start();
  await expectAllCharged();
  service.process.kill("SIGTERM");
  expect(await service.ended).toEqual({ code: 0, signal: null });
});
