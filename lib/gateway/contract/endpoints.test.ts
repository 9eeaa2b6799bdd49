// The other endpoints, and the behaviour of every endpoint while the process shuts down.

import { afterEach, describe, expect, test } from "vitest";
import { config } from "@/lib/base/config";
import { parseUsd } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { listModels } from "@/lib/providers/catalogue";
import { refuseNewRequests } from "../http/endpoint";
import { reportReadiness } from "../http/health";
import { openAccount } from "./testing/accounts";
import { expectPaid, expectUncharged, openHolds, until } from "./testing/books";
import { ask, expectCommonHeaders, misbehaving, open, promptOf, readError, readEvents } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();

afterEach(() => {
  for (const name of ["gateway drain", "readiness workers"]) forgetSingleton(name);
});

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const get = (path: string, headers: Record<string, string> = {}, key?: string) => ask({ url, path, method: "GET", headers, key });

  test("models: the list that OpenAI's client reads, with prices exact to the nano-dollar, without a key", async () => {
    const answer = await get("/api/v1/models");
    expect(answer.status).toBe(200);
    expectCommonHeaders(answer.headers, answer.headers.get("x-request-id") ?? "");
    const list = JSON.parse(answer.text) as { object: string; data: { id: string; object: string; aliases: string[] }[] };
    expect(list.object).toBe("list");
    expect(list.data.length).toBeGreaterThanOrEqual(14);
    expect(list.data.map(({ id }) => id)).toEqual(listModels().map(({ id }) => id));
    for (const name of ["gpt-3.5-turbo", "gpt-4", "gpt-4-turbo", "claude-sonnet-4-5", "gemini-2.5-flash", "grok", "deepseek-chat"]) {
      expect(list.data.find(({ id }) => id === name)).toMatchObject({
        object: "model",
        owned_by: expect.any(String),
        contextWindow: expect.any(Number),
        maxOutputTokens: expect.any(Number),
      });
    }
    expect(answer.text).toContain('"pricing":{"inputPer1K":0.002,"outputPer1K":0.002,"currency":"USD"}');
  });

  test("balance: the balance, the held part and the available part, exact", async () => {
    const account = await openAccount({ usd: "1.234567891" });
    const idle = await get("/api/v1/balance", {}, account.key);
    expect(idle.text).toBe('{"balance":1.234567891,"held":0,"available":1.234567891,"currency":"USD","wallet":null,"withdrawals":[]}');
    expectCommonHeaders(idle.headers, idle.headers.get("x-request-id") ?? "");
    const slow = ask({ url, key: account.key, body: misbehaving("delay=300") });
    await until("it is held", async () => (await openHolds(account.accountId)) === 1);
    const [, balance = "", held = "", available = ""] =
      /"balance":([\d.]+),"held":([\d.]+),"available":([\d.]+)/.exec((await get("/api/v1/balance", {}, account.key)).text) ?? [];
    expect(parseUsd(balance)).toBe(account.credit);
    expect(parseUsd(held)).toBeGreaterThan(0n);
    expect(parseUsd(available)).toBe(parseUsd(balance) - parseUsd(held));
    await slow;
    await expectPaid(account);
  });

  test("balance needs a key", async () => {
    readError(await get("/api/v1/balance"), "INVALID_API_KEY");
  });

  test("health and readiness: 200, each with a request id, even when no address is free for new accounts", async () => {
    expect(await get("/api/health")).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    reportReadiness("jobs", () => true);
    expect(await get("/api/ready")).toMatchObject({
      status: 200,
      text: expect.stringMatching(
        /^\{"status":"ready","checks":\{"accepting":true,"database":true,"jobs":true,"addresses":false,"signUps":true\},"eventLoopDelayMs":\d+,"clockOffsetMs":-?\d+\}$/,
      ),
    });
  });

  test("a stalled worker makes the process not ready, while it stays alive", async () => {
    reportReadiness("jobs", () => false);
    expect(await get("/api/ready")).toMatchObject({
      status: 503,
      text: expect.stringContaining(
        '{"status":"not ready","checks":{"accepting":true,"database":true,"jobs":false,"addresses":false,"signUps":true},',
      ),
    });
    expect((await get("/api/health")).status).toBe(200);
  });

  test("metrics: for this machine, but not for remote clients of a proxy on it", async () => {
    const account = await openAccount();
    await ask({ url, key: account.key, body: promptOf() });
    const answer = await get("/api/metrics");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(answer.text).toMatch(/^pennyprompt_requests_total\{endpoint="prompt",status="200",code=""\} [1-9]/m);
    expect(answer.text).not.toContain(account.accountId);
    for (const name of ["x-forwarded-for", "x-real-ip", "x-forwarded-host", "forwarded", "via"])
      readError(await get("/api/metrics", { [name]: "192.0.2.1" }), "NOT_FOUND");
  });

  test("metrics: for a caller with METRICS_TOKEN, from anywhere", async () => {
    process.env.METRICS_TOKEN = "token-of-sixteen-characters";
    forgetSingleton("config");
    try {
      expect(config().METRICS_TOKEN).toBeDefined();
      const far = { "x-forwarded-for": "192.0.2.1" };
      expect((await get("/api/metrics", { ...far, authorization: "Bearer token-of-sixteen-characters" })).status).toBe(200);
      readError(await get("/api/metrics", { ...far, authorization: "Bearer token-of-sixteen-characterz" }), "NOT_FOUND");
      readError(await get("/api/metrics", far), "NOT_FOUND");
    } finally {
      delete process.env.METRICS_TOKEN;
      forgetSingleton("config");
    }
  });

  describe("while the process shuts down", () => {
    test("new requests get SHUTTING_DOWN with Retry-After, and nothing is held for them", async () => {
      const account = await openAccount();
      refuseNewRequests();
      for (const [method, path] of [
        ["POST", "/api/v1/prompt"],
        ["GET", "/api/v1/models"],
        ["GET", "/api/v1/balance"],
        ["DELETE", "/api/v1/prompt"],
      ] as const) {
        const answer = await ask({ url, key: account.key, path, method });
        readError(answer, "SHUTTING_DOWN");
        expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      }
      await expectUncharged(account);
    });

    test("it is alive and not ready, and its metrics can be read", async () => {
      refuseNewRequests();
      expect((await get("/api/health")).status).toBe(200);
      expect(await get("/api/ready")).toMatchObject({ status: 503, text: expect.stringContaining('"accepting":false') });
      expect((await get("/api/metrics")).status).toBe(200);
      readError(await get("/api/nothing"), "NOT_FOUND");
    });

    test("running requests finish and are charged, JSON and stream", async () => {
      const account = await openAccount();
      const json = ask({ url, key: account.key, body: misbehaving("delay=300") });
      const stream = await open({ url, key: account.key, body: misbehaving("slow=5", { stream: true }) });
      await until("both are held", async () => (await openHolds(account.accountId)) === 2);
      refuseNewRequests();
      expect((await json).status).toBe(200);
      expect(readEvents(await stream.text()).at(-1)?.event).toBe("done");
      await expectPaid(account);
    });
  });
});

test("the Node server closes its connections while the process shuts down, so that clients reconnect elsewhere", async () => {
  const url = service.url("node");
  expect((await ask({ url, path: "/api/v1/models", method: "GET" })).headers.get("connection")).toBe("keep-alive");
  refuseNewRequests();
  expect((await ask({ url, path: "/api/v1/models", method: "GET" })).headers.get("connection")).toBe("close");
});
