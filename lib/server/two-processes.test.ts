// Two processes on one database: both serve from the first start, and each respects what the other has decided.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setKeyState } from "@/lib/access/keys";
import { RedisServer } from "@/lib/access/limits/testing/redis-server";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { closePool } from "@/lib/db/pool";
import { createTestDatabase, type TestDatabase } from "@/lib/db/testing/test-database";
import { readBalance, readReadiness, requestWhole, type Target } from "./testing/requests";
import { bundleService, cleanUpServices, newDataDir, onCleanUp, type Running, readSandbox, startService, until } from "./testing/service";

const perMinute = 20;
let database: TestDatabase;
let services: Running[];
let targets: Target[];
let apiKeys: string[];

beforeAll(async () => {
  const bundle = bundleService();
  // Empty: both find it without tables, at the same moment.
  database = await createTestDatabase({ empty: true });
  onCleanUp(() => database.drop());
  const redis = await RedisServer.start();
  onCleanUp(() => redis.remove());
  const settings = {
    ROLES: "web",
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    KEY_PEPPER: randomBytes(32).toString("hex"),
    RATE_LIMIT_PER_MINUTE: String(perMinute),
  };
  const dataDirs = [newDataDir(), newDataDir()];
  services = dataDirs.map((dataDir) => startService(bundle, { ...settings, DATA_DIR: dataDir }));
  const baseUrls = await Promise.all(services.map((service) => service.ready));
  apiKeys = dataDirs.map((dataDir) => readSandbox(dataDir).apiKey);
  // Both get requests with the key that the first one created.
  targets = baseUrls.map((baseUrl) => ({ baseUrl, apiKey: apiKeys[0] ?? "" }));
  setDatabaseUrl(database.url);
  onCleanUp(closePool);
});
afterAll(cleanUpServices);

test("both have started on the same empty database, and each migration was applied once", async () => {
  for (const { baseUrl } of targets) expect((await readReadiness(baseUrl)).status).toBe(200);
  const { rows } = await database.pool.query(
    "SELECT count(*) = count(DISTINCT migration_name) AS once, count(*) > 0 AS some FROM _prisma_migrations",
  );
  expect(rows[0]).toEqual({ once: true, some: true });
});

test("both serve the same account, and each sees the other's charges", async () => {
  for (const target of targets) expect((await requestWhole(target, "Who serves me?")).status).toBe(200);
  const [first, second] = await Promise.all(targets.map(readBalance));
  expect(first?.balance).toBeLessThan(25);
  expect(second).toEqual(first);
});

test("they share one budget of requests through Redis", async () => {
  const statuses: number[][] = [];
  for (let round = 0; round < perMinute; round++)
    statuses.push(await Promise.all(targets.map(async (target) => (await requestWhole(target, "Count me.")).status)));
  const granted = statuses.flat().filter((status) => status === 200).length;
  // The previous test took four, and one more is granted every three seconds.
  expect(granted).toBeLessThanOrEqual(perMinute);
  expect(granted).toBeGreaterThanOrEqual(perMinute - 8);
  for (const index of [0, 1]) expect(statuses.map((pair) => pair[index])).toContain(429);
});

test("both refuse a revoked key: for a prompt at once, for reading the balance as soon as the notice arrives", async () => {
  const revoked = targets.map(({ baseUrl }) => ({ baseUrl, apiKey: apiKeys[1] ?? "" }));
  for (const target of revoked) expect((await requestWhole(target, "Still good?")).status).toBe(200);
  const { rows } = await database.pool.query<{ id: KeyId; account_id: AccountId }>("SELECT id, account_id FROM api_key");
  for (const { id, account_id } of rows) expect(await setKeyState(account_id, id, "revoked")).toBe(true);
  for (const target of revoked)
    expect(await requestWhole(target, "And now?")).toMatchObject({
      status: 401,
      body: { code: "INVALID_API_KEY", details: { reason: "revoked" } },
    });
  for (const target of targets) {
    await until("the balance is refused", async () => {
      const response = await fetch(`${target.baseUrl}/api/v1/balance`, { headers: { authorization: `Bearer ${target.apiKey}` } });
      return response.status === 401;
    });
  }
});

test("one stops and the other keeps serving; both end cleanly", async () => {
  const [first, second] = services;
  first?.process.kill("SIGTERM");
  expect(await first?.ended).toEqual({ code: 0, signal: null });
  expect((await readReadiness(targets[1]?.baseUrl ?? "")).status).toBe(200);
  second?.process.kill("SIGTERM");
  expect(await second?.ended).toEqual({ code: 0, signal: null });
});
