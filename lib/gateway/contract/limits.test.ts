// Limits as the customer sees them: rate, concurrent requests, and key guessing by address. A refused request costs nothing; a stream is
// concurrent until its end.

import { describe, expect, test } from "vitest";
import { generateKey } from "@/lib/access/key-format";
import { config } from "@/lib/base/config";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { openAccount } from "./testing/accounts";
import { expectPaid, expectUncharged, openHolds, until } from "./testing/books";
import { ask, misbehaving, open, promptOf, readError } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService({ env: { TRUSTED_PROXIES: "loopback" } });
const TEN = Array.from({ length: 10 });

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);

  test("the rate: the remaining requests count down, the next one is refused with the time to wait, and costs nothing", async () => {
    const account = await openAccount({ limits: { ratePerMinute: 3, concurrency: 10 } });
    const remaining: string[] = [];
    for (const _ of [1, 2, 3]) {
      const { status, headers } = await ask({ url, key: account.key, path: "/api/v1/balance", method: "GET" });
      expect(status).toBe(200);
      expect(headers.get("ratelimit-policy")).toBe('"rate";q=3;w=60, "concurrency";q=10;qu="concurrent-requests"');
      expect(headers.get("x-ratelimit-limit")).toBe("3");
      remaining.push(headers.get("x-ratelimit-remaining") ?? "");
    }
    expect(remaining).toEqual(["2", "1", "0"]);
    const answer = await ask({ url, key: account.key, body: promptOf() });
    const { details, error } = readError(answer, "RATE_LIMIT_EXCEEDED");
    expect(Object.keys(details)).toEqual(["limit", "retryAfterMs", "docs"]);
    expect(details.limit).toBe("rate");
    expect(details.retryAfterMs).toBeGreaterThan(0);
    expect(details.retryAfterMs).toBeLessThanOrEqual(20_000);
    expect(answer.headers.get("retry-after")).toBe(`${Math.ceil(Number(details.retryAfterMs) / 1_000)}`);
    expect(answer.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(error).toMatch(/try again in \d+ s/);
    await expectUncharged(account);
  });

  test("without an override an account has 100 a minute and 10 in flight", async () => {
    const { key } = await openAccount({ limits: null });
    const { headers } = await ask({ url, key, path: "/api/v1/balance", method: "GET" });
    expect(headers.get("ratelimit-policy")).toBe('"rate";q=100;w=60, "concurrency";q=10;qu="concurrent-requests"');
    expect(headers.get("ratelimit")).toBe('"rate";r=99;t=1, "concurrency";r=9');
  });

  test("ten in flight: the eleventh is refused, and served once one has ended", async () => {
    const account = await openAccount({ limits: { ratePerMinute: 1_000, concurrency: 10 } });
    const leave = new AbortController();
    const running = TEN.map(() => open({ url, key: account.key, body: misbehaving("slow=2000", { stream: true }), signal: leave.signal }));
    const streams = await Promise.all(running); // each has sent its first token, and none has ended
    const answer = await ask({ url, key: account.key, body: promptOf() });
    expect(readError(answer, "RATE_LIMIT_EXCEEDED").details).toMatchObject({ limit: "concurrency" });
    expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(answer.headers.get("ratelimit")).toMatch(/"concurrency";r=0$/);
    expect(await openHolds(account.accountId)).toBe(10);

    await streams[0]?.body?.cancel();
    await until("a slot is free", async () => (await ask({ url, key: account.key, body: promptOf() })).status === 200);
    leave.abort();
    await expectPaid(account);
  });

  test("a JSON request is in flight until its answer", async () => {
    const account = await openAccount({ limits: { ratePerMinute: 1_000, concurrency: 1 } });
    const slow = ask({ url, key: account.key, body: misbehaving("delay=500") });
    await until("it is held", async () => (await openHolds(account.accountId)) === 1);
    expect(readError(await ask({ url, key: account.key, body: promptOf() }), "RATE_LIMIT_EXCEEDED").details.limit).toBe("concurrency");
    expect((await slow).status).toBe(200);
    expect((await ask({ url, key: account.key, body: promptOf() })).status).toBe(200);
    await expectPaid(account);
  });

  test("every kind of failure returns the slot", async () => {
    const account = await openAccount({ limits: { ratePerMinute: 1_000, concurrency: 1 } });
    const bodies = [
      "{",
      promptOf({ model: "none" }),
      promptOf({ maxCost: 1e-9 }),
      misbehaving("status=500"),
      misbehaving("rubbish", { stream: true }),
    ];
    for (const body of [...bodies, misbehaving("close-midway", { stream: true }), misbehaving("usage-negative")])
      await ask({ url, key: account.key, body });
    expect((await ask({ url, key: account.key, body: promptOf() })).status).toBe(200);
    await expectPaid(account);
  });

  test("guessing keys is limited by address; a known good key keeps working there, and other addresses are not limited", async () => {
    forgetSingleton("config");
    forgetSingleton("limits.failedAuth");
    process.env.FAILED_AUTH_PER_MINUTE = "3";
    try {
      expect(config().FAILED_AUTH_PER_MINUTE).toBe(3);
      const guess = (address: string, authorization = `Bearer ${generateKey()}`) =>
        ask({ url, body: promptOf(), headers: { authorization, "x-forwarded-for": address } });
      const { key } = await openAccount();
      const good = { url, key, path: "/api/v1/balance", method: "GET", headers: { "x-forwarded-for": "192.0.2.1" } };
      expect((await ask(good)).status).toBe(200);

      for (const authorization of [undefined, "Bearer pp_short", undefined])
        readError(await guess("192.0.2.1", authorization), "INVALID_API_KEY");
      const answer = await guess("192.0.2.1");
      expect(readError(answer, "RATE_LIMIT_EXCEEDED").details.limit).toBe("rate");
      expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      expect(answer.headers.get("ratelimit-policy")).toBe('"failed-auth";q=3;w=60');
      readError(await guess("192.0.2.1", "nonsense"), "RATE_LIMIT_EXCEEDED");
      expect((await ask(good)).status).toBe(200);
      readError(await guess("192.0.2.2"), "INVALID_API_KEY");
    } finally {
      process.env.FAILED_AUTH_PER_MINUTE = "100000";
      forgetSingleton("config");
      forgetSingleton("limits.failedAuth");
    }
  });
});
