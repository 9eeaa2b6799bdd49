// The status page's promises: real checks, each failed part shown with its time, and a page that renders even without the database.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { drawPage } from "@/components/ui/testing/app-router";
import { redisLink } from "@/lib/access/limits/redis-link";
import { setClock } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { recordDisagreement } from "@/lib/chains/quorum";
import { openTestCustody } from "@/lib/console/testing/custody";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { closePool, pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { refuseNewRequests } from "@/lib/gateway/http/endpoint";
import { reportReadiness } from "@/lib/gateway/http/health";
import { readStatus } from "@/lib/gateway/http/status";
import { breakerOf } from "@/lib/providers/breaker";
import { readEndpoints, setEndpoints, setSimulatedProviders } from "@/lib/providers/endpoints";
import StatusPage from "./page";
import { statusGroups, statusSentence } from "./status-lines";

const database = await openTestDatabase();
beforeAll(openTestCustody);
const openAi = "http://127.0.0.1:9/openai";
const grok = "http://127.0.0.1:9/xai";
let restoreClock = () => {};

beforeEach(() => {
  setSimulatedProviders({ openai: openAi, xai: grok });
  setEndpoints(readEndpoints(config(), { openai: openAi, xai: grok }));
});
afterEach(() => {
  restoreClock();
  vi.unstubAllEnvs();
  for (const name of ["circuitBreakers", "readiness workers", "wrong since", "gateway drain", "free addresses"]) forgetSingleton(name);
  for (const name of ["config", "disagreement of nodes"]) forgetSingleton(name);
  setDatabaseUrl(database.url);
});
afterAll(() => forgetSingleton("endpoints"));

/** The page's text. */
async function look() {
  const status = await readStatus();
  const lines = Object.fromEntries(statusGroups(status).flatMap(({ lines: all }) => all.map((line) => [line.name, line])));
  return { lines, sentence: statusSentence(status) };
}

function fail(provider: "openai" | "xai", times = 5): void {
  const breaker = breakerOf(provider, "http://127.0.0.1:9");
  for (let call = 0; call < times; call += 1) breaker.admit("any-model")?.("failure", false);
}

test("when all is well it says so: the database with its response time, the workers, limits, and simulated providers", async () => {
  reportReadiness("jobs", () => true);
  const { lines, sentence } = await look();
  expect(sentence).toEqual({ tone: "good", text: "All systems operational" });
  expect(lines.Database).toMatchObject({ tone: "good", word: expect.stringMatching(/^Operational · \d+(\.\d)? ms$/) });
  expect(lines["Deposits, withdrawals and alerts"]).toMatchObject({ tone: "good", word: "Operational" });
  expect(lines["Rate limits"]).toMatchObject({ tone: "good", word: "Operational" });
  expect(lines.OpenAI).toMatchObject({ tone: "good", word: "Operational (simulated)" });
});

test("when two nodes gave different answers it says so for an hour, and API requests work", async () => {
  expect((await look()).lines["Blockchain nodes"]).toBeUndefined();
  vi.stubEnv("SINGLE_NODE", "refuse");
  forgetSingleton("config");
  expect((await look()).lines["Blockchain nodes"]).toMatchObject({ tone: "good", word: "Operational" });
  recordDisagreement("base", { what: "a test" });
  const { lines, sentence } = await look();
  expect(lines["Blockchain nodes"]).toMatchObject({ tone: "weak", since: expect.any(Date) });
  expect(sentence).toEqual({ tone: "weak", text: expect.stringMatching(/^API requests work\. Two blockchain nodes disagree/) });
  const later = Date.now() + 3_600_001;
  restoreClock = setClock(() => later);
  expect((await look()).lines["Blockchain nodes"]).toMatchObject({ tone: "good", since: null });
});

test("with the database down the page renders within its limit, names it first, and says since when", async () => {
  await closePool();
  setDatabaseUrl("postgresql://nobody@127.0.0.1:9/none");
  restoreClock = setClock(() => Date.UTC(2026, 10, 21, 10, 31));
  await look();
  restoreClock();
  restoreClock = setClock(() => Date.UTC(2026, 10, 21, 10, 40));
  const { lines, sentence } = await look();
  expect(sentence).toMatchObject({ tone: "bad", text: expect.stringMatching(/^The database is down.*not charged/) });
  expect(lines.Database).toEqual({
    name: "Database",
    tone: "bad",
    word: "Not responding",
    since: new Date(Date.UTC(2026, 10, 21, 10, 31)),
  });
  const page = drawPage(await StatusPage());
  await closePool();
  expect(page).toContain("The database is down.");
  expect(page).toContain("21 Nov 2026, 10:31 UTC");
});

test("a database that accepts connections but never answers is shown as not answering", async () => {
  const { createServer } = await import("node:net");
  const silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
  const address = silent.address();
  await closePool();
  setDatabaseUrl(`postgresql://nobody@127.0.0.1:${typeof address === "object" ? address?.port : 0}/none`);
  const { lines } = await look();
  expect(lines.Database?.tone).toBe("bad");
  silent.close();
  await closePool();
});

test("a provider that keeps failing is named, with since when and the next retry; the others keep working", async () => {
  const at = Date.UTC(2026, 10, 21, 9);
  restoreClock = setClock(() => at);
  fail("openai");
  const { lines, sentence } = await look();
  expect(sentence).toEqual({ tone: "weak", text: "OpenAI models may be unavailable. Everything else works." });
  expect(lines.OpenAI).toEqual({
    name: "OpenAI",
    tone: "bad",
    word: "Paused after failures. Next try in 1 s",
    since: new Date(at),
  });
  expect(lines.xAI?.tone).toBe("good");
  fail("xai");
  expect((await look()).sentence).toMatchObject({ tone: "bad", text: expect.stringMatching(/^No model is responding/) });
});

test("a stalled worker and a process that shuts down are shown", async () => {
  reportReadiness("jobs", () => false);
  expect((await look()).sentence).toMatchObject({
    tone: "weak",
    text: expect.stringMatching(/Deposits, withdrawals or alerts may be delayed/),
  });
  reportReadiness("sandbox", () => false);
  expect((await look()).sentence).toMatchObject({ tone: "bad" });
  expect((await look()).lines["Simulated models"]).toMatchObject({ tone: "bad", word: "Restarting" });
  refuseNewRequests();
  expect((await look()).lines["API requests"]).toMatchObject({ tone: "bad" });
});

test("a sandbox whose chains are starting is shown as such, and answers requests", async () => {
  let doRun = false;
  reportReadiness("chains", () => doRun, { isVital: () => false });
  const { lines, sentence } = await look();
  expect(sentence).toEqual({ tone: "weak", text: "API requests work. The sandbox chains are starting." });
  expect(lines["Sandbox chains"]).toMatchObject({ tone: "weak", word: "Starting" });
  doRun = true;
  expect((await look()).lines["Sandbox chains"]).toMatchObject({ tone: "good", word: "Operational" });
});

test("an empty address pool is shown as a problem for new accounts only, and clears within seconds of its end", async () => {
  const at = Date.UTC(2026, 10, 21, 9);
  restoreClock = setClock(() => at);
  expect((await look()).lines["Deposit addresses"]).toMatchObject({ tone: "good", word: "Operational" });
  await pool().query("CREATE TABLE kept AS TABLE address_pool; DELETE FROM address_pool");
  restoreClock();
  restoreClock = setClock(() => at + 5_000);
  const { lines, sentence } = await look();
  expect(lines["Deposit addresses"]).toEqual({
    name: "Deposit addresses",
    tone: "weak",
    word: "None available, so new accounts are delayed",
    since: new Date(at + 5_000),
  });
  expect(sentence).toMatchObject({ tone: "weak", text: expect.stringMatching(/^API requests and sign-in work/) });
  await pool().query("INSERT INTO address_pool TABLE kept; DROP TABLE kept");
  restoreClock();
  restoreClock = setClock(() => at + 10_000);
  expect((await look()).sentence).toMatchObject({ tone: "good" });
});

test("an unreachable Redis is shown, and that requests are still answered", async () => {
  process.env.REDIS_URL = "redis://127.0.0.1:9";
  for (const name of ["config", "limits.redis"]) forgetSingleton(name);
  try {
    const { lines, sentence } = await look();
    expect(lines["Rate limits"]).toMatchObject({ tone: "weak", word: expect.stringMatching(/Counted per server/) });
    expect(sentence).toMatchObject({ tone: "weak", text: expect.stringMatching(/^API requests work/) });
  } finally {
    await redisLink()?.close();
    delete process.env.REDIS_URL;
    for (const name of ["config", "limits.redis"]) forgetSingleton(name);
  }
});
