// Several processes share one database, and one of them dies or freezes: the others free its holds within seconds, and what it
// does after it wakes costs no customer anything twice.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { isLong } from "@/lib/db/testing/sample";
import { createTestDatabase, type TestDatabase } from "@/lib/db/testing/test-database";
import { readBalance, requestWhole, type Target } from "./testing/requests";
import { bundleService, cleanUpServices, newDataDir, onCleanUp, type Running, readSandbox, startService, until } from "./testing/service";

/** Five seconds until a process counts as dead, two heartbeats, and a margin for a busy machine. */
const FREED_WITHIN_MS = 8_000;

let bundle: string;
let database: TestDatabase;
let keyPepper: string;

beforeAll(() => {
  bundle = bundleService();
});
beforeEach(async () => {
  const made = await createTestDatabase();
  onCleanUp(() => made.drop());
  database = made;
  keyPepper = randomBytes(32).toString("hex");
});
afterAll(cleanUpServices);

interface Started extends Target {
  service: Running;
}

async function start(roles: "web" | "jobs" | "web,jobs"): Promise<Started> {
  const dataDir = newDataDir();
  const service = startService(bundle, { ROLES: roles, DATABASE_URL: database.url, KEY_PEPPER: keyPepper, DATA_DIR: dataDir });
  const baseUrl = await service.ready;
  return { service, baseUrl, apiKey: readSandbox(dataDir).apiKey };
}

const query = async (sql: string) => (await database.pool.query(sql)).rows as Record<string, unknown>[];
const countHolds = async () => (await query("SELECT FROM hold")).length;
const untilHeld = (count: number) => until(`${count} holds are open`, async () => (await countHolds()) === count);

/** Call it right after a process died; returns how long it took until its holds were free. */
async function untilFreed(): Promise<number> {
  const diedAt = performance.now();
  await until("its holds are free", async () => (await countHolds()) === 0);
  return performance.now() - diedAt;
}

test.each(isLong ? (["web", "jobs"] as const) : (["jobs"] as const))(
  "kill -9 of a process: another process, with only the role %s, frees its holds within eight seconds",
  async (role) => {
    const victim = await start("web");
    const other = await start(role);
    for (const key of ["one", "two"])
      void requestWhole(victim, "Never answer. [[simulate: hang]]", {}, { "idempotency-key": key }).catch(() => undefined); // cut off
    await untilHeld(2);
    victim.service.process.kill("SIGKILL");
    expect(await untilFreed()).toBeLessThan(FREED_WITHIN_MS);
    expect(await query("SELECT DISTINCT reason FROM expired_hold")).toEqual([{ reason: "process_died" }]);
    expect(await query("SELECT FROM idempotent_reply")).toEqual([]);
    expect(await query("SELECT FROM ledger_account WHERE held <> 0")).toEqual([]);
    await stop([other]);
  },
);

test("a frozen process wakes: the request that its caller retried elsewhere is charged once, and its own answer is discarded", async () => {
  const [frozen, other] = [await start("web"), await start("web,jobs")];
  const elsewhere: Target = { ...other, apiKey: frozen.apiKey };
  const before = await readBalance(elsewhere);
  const keyed = { "idempotency-key": "asked anew" };
  const prompt = "Take your time. [[simulate: delay=1200]]";
  const [first, unkeyed] = [requestWhole(frozen, prompt, {}, keyed), requestWhole(frozen, prompt)];
  await untilHeld(2);
  frozen.service.process.kill("SIGSTOP");
  expect((await requestWhole(elsewhere, prompt, {}, keyed)).status).toBe(409);
  expect(await untilFreed()).toBeLessThan(FREED_WITHIN_MS);
  const anew = await requestWhole(elsewhere, prompt, {}, keyed);
  expect(anew.status).toBe(200);

  frozen.service.process.kill("SIGCONT");
  const [late, unclaimed] = await Promise.all([first, unkeyed]);
  expect([late, unclaimed].map(({ status, body }) => [status, body.code ?? body.cost?.totalCost])).toEqual([
    [500, "INTERNAL_ERROR"],
    [200, anew.body.cost?.totalCost],
  ]);
  const charges = await query(
    "SELECT request_id AS id, late, (input_cost + output_cost)::int AS paid, operator_loss::int AS loss FROM charge ORDER BY request_id",
  );
  const cost = Math.round((anew.body.cost?.totalCost ?? 0) * 1e9);
  expect(charges).toHaveLength(3);
  expect(charges).toContainEqual({ id: late.body.requestId, late: true, paid: 0, loss: cost });
  expect(charges).toContainEqual({ id: unclaimed.body.requestId, late: true, paid: cost, loss: 0 });
  expect(charges).toContainEqual({ id: anew.body.requestId, late: false, paid: cost, loss: 0 });

  const again = await requestWhole(frozen, prompt, {}, keyed);
  expect([again.status, again.body.requestId]).toEqual([200, anew.body.requestId]); // it still serves, and replays that answer
  expect(Math.round(((await readBalance(elsewhere)).balance - before.balance) * 1e9)).toBe(-2 * cost);
  expect(await query("SELECT * FROM ledger_check(now())")).toEqual([]);
  await stop([frozen, other]);
  expect(await query("SELECT FROM process")).toEqual([]);
});

async function stop(started: readonly Started[]): Promise<void> {
  for (const { service } of started) service.process.kill("SIGTERM");
  for (const { service } of started) expect(await service.ended).toEqual({ code: 0, signal: null });
}
