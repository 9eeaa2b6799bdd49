// The receipt of one request: in progress, charged, failed, and readable only by its own account.

import { describe, expect, test } from "vitest";
import { parseUsd } from "@/lib/base/money";
import { priceVersion } from "@/lib/providers/catalogue";
import { openAccount } from "./testing/accounts";
import { awaitCharge, expectPaid, expectUncharged } from "./testing/books";
import { ask, expectCommonHeaders, misbehaving, modelOf, open, promptOf, readCosts, readError, readPromptBody } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const get = (key: string | undefined, requestId: string) => ask({ url, key, path: `/api/v1/requests/${requestId}`, method: "GET" });
  const read = async (key: string, requestId: string) => JSON.parse((await get(key, requestId)).text) as Record<string, unknown>;

  test("of a charged request: the answer's numbers, and why it cost that much", async () => {
    const account = await openAccount();
    const prompted = await ask({ url, key: account.key, body: promptOf() });
    const { requestId, usage, model } = readPromptBody(prompted.text);
    const answer = await get(account.key, requestId);
    expect(answer.status).toBe(200);
    expectCommonHeaders(answer.headers, answer.headers.get("x-request-id") ?? "");
    expect(answer.headers.get("x-request-id")).not.toBe(requestId);
    const receipt = JSON.parse(answer.text) as Record<string, unknown>;
    expect(Object.keys(receipt)).toEqual([
      ...["requestId", "state", "at", "model", "provider", "keyId", "usage", "cost", "priceVersion", "pricing", "costByKind"],
      ...["outcome", "estimated", "streamed", "firstTokenMs", "providerMs", "paidBy", "whenLeft", "payment"],
    ]);
    const { input: inputPrice, output: outputPrice } = modelOf(model).prices[0];
    expect(receipt).toMatchObject({
      requestId,
      state: "charged",
      model,
      provider: "openai",
      keyId: account.keyId,
      usage: { ...usage, cachedInputTokens: expect.any(Number), reasoningTokens: expect.any(Number) },
      priceVersion: priceVersion(modelOf(model)),
      outcome: "complete",
      estimated: false,
      streamed: false,
      paidBy: "balance",
      whenLeft: "cut",
    });
    expect(Date.parse(String(receipt.at))).toBeLessThanOrEqual(Date.now());
    expect(receipt.providerMs).toEqual(expect.any(Number));
    expect(readCosts(answer.text)).toEqual(readCosts(prompted.text));
    const [, inputPerToken = "", outputPerToken = ""] =
      /"pricing":\{"inputPerToken":([\d.]+),"outputPerToken":([\d.]+),"currency":"USD"\}/.exec(answer.text) ?? [];
    expect([parseUsd(inputPerToken), parseUsd(outputPerToken)]).toEqual([inputPrice, outputPrice]);
    await expectPaid(account);
  });

  test.each([
    ["gpt-4o-mini", "openai", "cut"],
    ["claude-haiku-4-5", "anthropic", "cut"],
    ["gemini-2.5-flash-lite", "gemini", "drained"],
    ["grok", "xai", "cut"],
    ["deepseek-chat", "deepseek", "cut"],
  ])("of a stream of %s by %s: the time of its first token, and that an abandoned one is %s", async (model, provider, whenLeft) => {
    const account = await openAccount();
    const prompted = await ask({ url, key: account.key, body: promptOf({ model, stream: true }) });
    const receipt = await read(account.key, prompted.headers.get("x-request-id") ?? "");
    expect(receipt).toMatchObject({ state: "charged", model, provider, whenLeft, streamed: true, outcome: "complete" });
    expect(receipt.firstTokenMs).toBeGreaterThanOrEqual(0);
    expect(receipt.providerMs).toBeGreaterThanOrEqual(Number(receipt.firstTokenMs));
  });

  test("of an abandoned stream: cancelled, with an estimated count", async () => {
    const account = await openAccount();
    const left = await open({ url, key: account.key, body: misbehaving("slow=100 tokens=500", { stream: true }) });
    await left.body?.cancel();
    const { request_id } = await awaitCharge(account.accountId);
    expect(request_id).toBe(left.headers.get("x-request-id"));
    expect(await read(account.key, request_id)).toMatchObject({ state: "charged", outcome: "cancelled", estimated: true, streamed: true });
    await expectPaid(account);
  });

  test("it shows the hold while a request is in progress, and then the charge", async () => {
    const account = await openAccount();
    const stream = await open({ url, key: account.key, body: misbehaving("slow=100 tokens=40", { stream: true }) });
    const requestId = stream.headers.get("x-request-id") ?? "";
    const answer = await get(account.key, requestId);
    const receipt = JSON.parse(answer.text) as Record<string, unknown>;
    expect(Object.keys(receipt)).toEqual(["requestId", "state", "at", "keyId", "ceiling", "deadline"]);
    expect(receipt).toMatchObject({ requestId, state: "in_progress", keyId: account.keyId });
    const balance = await ask({ url, key: account.key, path: "/api/v1/balance", method: "GET" });
    expect(/"ceiling":([\d.]+)/.exec(answer.text)?.[1]).toBe(/"held":([\d.]+)/.exec(balance.text)?.[1]);
    await stream.text();
    expect(await read(account.key, requestId)).toMatchObject({ requestId, state: "charged" });
    await expectPaid(account);
  });

  test("a request that failed or was refused has no receipt", async () => {
    const account = await openAccount();
    const failed = await ask({ url, key: account.key, body: misbehaving("status=500") });
    expect(failed.status).toBe(500);
    readError(await get(account.key, failed.headers.get("x-request-id") ?? ""), "NOT_FOUND");
    const refused = await ask({ url, key: account.key, body: promptOf({ maxTokens: 0 }) });
    readError(await get(account.key, refused.headers.get("x-request-id") ?? ""), "NOT_FOUND");
    await expectUncharged(account);
  });

  test("another account's ids, an unknown one and malformed ones get the same answer", async () => {
    const [owner, other] = [await openAccount(), await openAccount()];
    const charged = readPromptBody((await ask({ url, key: owner.key, body: promptOf() })).text).requestId;
    const stream = await open({ url, key: owner.key, body: misbehaving("slow=20 tokens=40", { stream: true }) });
    const underWay = stream.headers.get("x-request-id") ?? "";
    const malformed = ["req_", "x", "%ff", "'", `${charged}_`, charged.toUpperCase(), "a".repeat(5_000)];
    const errors = new Set<string>();
    for (const id of [charged, underWay, "req_00000000000000000000", ...malformed]) {
      const { error, details } = readError(await get(other.key, id), "NOT_FOUND");
      errors.add(JSON.stringify({ error, details }));
    }
    expect(errors.size).toBe(1);
    expect((await get(owner.key, underWay)).status).toBe(200);
    await stream.text();
    for (const id of [charged, underWay]) expect(await read(owner.key, id)).toMatchObject({ state: "charged" });
    await expectPaid(owner);
  });

  test("it needs a key, and accepts only GET", async () => {
    readError(await get(undefined, "req_00000000000000000000"), "INVALID_API_KEY");
    const posted = await ask({ url, path: "/api/v1/requests/req_00000000000000000000", method: "POST" });
    readError(posted, "METHOD_NOT_ALLOWED");
    expect(posted.headers.get("allow")).toBe("GET");
  });

  test.each([
    "/api/v1/requests",
    "/api/v1/requests/",
    "/api/v1/requests/a/b",
    "/api/v1/requests/a/",
    "/api/v1/balance/a",
    "/api/v1/hasOwnProperty/a",
  ])("there is nothing at %s", async (path) => {
    const { key } = await openAccount();
    expect(readError(await ask({ url, key, path, method: "GET" }), "NOT_FOUND").error).toBe(`Not found: ${path}`);
  });
});
