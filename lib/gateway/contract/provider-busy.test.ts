// A provider that is busy, as clients read it: 503, or Anthropic's 529, with Retry-After, at once, uncharged and kept under no key.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { openAccount } from "./testing/accounts";
import { chargesOf, expectPaid, expectUncharged } from "./testing/books";
import { QUESTION, readError } from "./testing/client";
import { anthropicError, json, openScriptedProvider, type Reply, refusalOf } from "./testing/scripted-provider";

const { url, send, provider } = await openScriptedProvider();

const wholeAnswer: Reply = json(200, {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content: [{ type: "text", text: "Hello." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 3 },
});

describe("a provider that is busy", () => {
  const overloaded = (headers: Record<string, string> = {}) => anthropicError(529, "overloaded_error", "Overloaded", headers);

  test.each<[string, Reply, string]>([
    ["529 with a wait of its own", overloaded({ "retry-after": "12" }), "12"],
    ["429 with one in milliseconds", anthropicError(429, "rate_limit_error", "Slow down", { "retry-after-ms": "30500" }), "31"],
    ["529 without any", overloaded(), "5"],
    [
      "an overload before the first token of a stream",
      (response, { stream }) => {
        if (!stream) return overloaded()(response, {});
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end('event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n');
      },
      "5",
    ],
  ])("%s: 503, Anthropic's 529, with Retry-After, at once and uncharged", async (_what, refusal, seconds) => {
    provider.reply = refusal;
    const account = await openAccount({ usd: "50" });
    for (const stream of [false, true]) {
      forgetSingleton("circuitBreakers");
      const startedAt = performance.now();
      const answer = await send("prompt", { key: account.key, stream });
      const { error, details } = readError(answer, "PROVIDER_BUSY");
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toBe(seconds);
      expect(answer.headers.get("x-should-retry")).not.toBe("false");
      expect(details).toMatchObject({ retryable: true, retryAfterMs: Number(seconds) * 1_000 });
      expect(error).toMatch(/not charged$/);
      forgetSingleton("circuitBreakers");
      const messages = await send("messages", { key: account.key, stream });
      expect([messages.status, messages.headers.get("retry-after")]).toEqual([529, seconds]);
      expect(refusalOf(messages)).toMatchObject({ type: "overloaded_error", code: "PROVIDER_BUSY" });
      // Claude Code looks for these very characters.
      expect(messages.text).toContain('"type":"overloaded_error"');
      for (const dialect of ["chat", "responses"] as const) {
        forgetSingleton("circuitBreakers");
        const one = await send(dialect, { key: account.key, stream });
        expect([one.status, one.headers.get("retry-after")]).toEqual([503, seconds]);
        expect(refusalOf(one)).toMatchObject({ type: "server_error", code: "PROVIDER_BUSY" });
      }
      expect(performance.now() - startedAt).toBeLessThan(8_000);
    }
    await expectUncharged(account);
  });

  test("an open circuit says when it closes", async () => {
    provider.reply = json(500, { type: "error", error: { type: "api_error", message: "Internal server error" } });
    const { key } = await openAccount({ usd: "50" });
    for (const _ of [1, 2]) expect(["INTERNAL_ERROR", "PROVIDER_BUSY"]).toContain(JSON.parse((await send("prompt", { key })).text).code);
    const before = provider.calls;
    const answer = await send("prompt", { key });
    readError(answer, "PROVIDER_BUSY");
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(provider.calls).toBe(before);
  });

  test("one model that is too busy for long does not stop the provider's others", async () => {
    const account = await openAccount({ usd: "50" });
    setRetries("0");
    provider.reply = overloaded();
    for (let times = 0; times < 5; times += 1) readError(await send("prompt", { key: account.key }), "PROVIDER_BUSY");
    const before = provider.calls;
    readError(await send("prompt", { key: account.key }), "PROVIDER_BUSY");
    expect(provider.calls).toBe(before);
    provider.reply = wholeAnswer;
    expect((await send("prompt", { key: account.key, model: "claude-haiku-4-5" })).status).toBe(200);
    setRetries("2");
    await expectPaid(account);
  });

  test("an Idempotency-Key keeps nothing of it: the retry is answered and charged once", async () => {
    const account = await openAccount({ usd: "50" });
    const headers = { "idempotency-key": "again" };
    provider.reply = overloaded({ "retry-after": "60" });
    readError(await send("prompt", { key: account.key, headers }), "PROVIDER_BUSY");
    provider.reply = wholeAnswer;
    expect((await send("prompt", { key: account.key, headers })).status).toBe(200);
    const replayed = await send("prompt", { key: account.key, headers });
    expect([replayed.status, replayed.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });

  test("stock clients come again by themselves, after the wait that they are told", async () => {
    const account = await openAccount({ usd: "50" });
    const messages = [{ role: "user" as const, content: QUESTION }];
    const model = "claude-sonnet-5-5";
    const clients = [
      () =>
        new Anthropic({ apiKey: account.key, baseURL: `${url}/api`, maxRetries: 1 }).messages.create({ model, max_tokens: 50, messages }),
      () => new OpenAI({ apiKey: account.key, baseURL: `${url}/api/v1`, maxRetries: 1 }).chat.completions.create({ model, messages }),
    ];
    setRetries("0");
    for (const ask of clients) {
      provider.reply = (response, body) => {
        provider.reply = wholeAnswer;
        overloaded({ "retry-after": "2" })(response, body);
      };
      const startedAt = performance.now();
      await ask();
      // By themselves they would wait for half a second.
      expect(performance.now() - startedAt).toBeGreaterThan(1_900);
    }
    setRetries("2");
    expect(await chargesOf(account.accountId)).toHaveLength(2);
    await expectPaid(account);
  });
});

function setRetries(retries: string): void {
  process.env.PROVIDER_RETRIES = retries;
  forgetSingleton("config");
}
