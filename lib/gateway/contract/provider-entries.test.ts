// Providers of PROVIDERS_FILE through the whole gateway: a local server that speaks chat completions answers a prompt, which is charged to
// the nano-dollar; another one takes over when it fails, at the price of the dearer.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { endpoints } from "@/lib/providers/endpoints";
import { type ProviderServer, startProvider } from "@/lib/providers/testing/provider-server";
import { openAccount } from "./testing/accounts";
import { chargesOf, expectPaid } from "./testing/books";
import { ask, deltaText, modelOf, QUESTION, readCosts, readError, readEvents, readPromptBody } from "./testing/client";
import { openService } from "./testing/service";

const HOST_KEY = "sk-acme-0123456789-never-shown";
const usage = {
  prompt_tokens: 1_200,
  completion_tokens: 40,
  total_tokens: 1_240,
  prompt_tokens_details: { cached_tokens: 1_000 },
  completion_tokens_details: { reasoning_tokens: 10 },
};

/** The hosts that are overloaded. */
const failing = new Set<string>();

/** A compatible server with an answer of its own. */
async function startHost(text: string): Promise<ProviderServer> {
  const server = await startProvider((response, nth) => {
    if (failing.has(text)) return sendJson(response, 503, { error: { message: `overloaded: ${HOST_KEY}`, type: "overloaded_error" } });
    const body = JSON.parse(server.requests[nth]?.body ?? "{}") as { stream?: boolean; model: string };
    const shared = { id: `chatcmpl-${nth}`, model: body.model };
    const finish_reason = "stop";
    if (!body.stream) {
      const message = { role: "assistant", content: text, reasoning_content: "Hm." };
      return sendJson(response, 200, { ...shared, choices: [{ index: 0, message, finish_reason }], usage });
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunks = [...text].map((content) => ({ ...shared, choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
    for (const chunk of [...chunks, { ...shared, choices: [{ index: 0, delta: {}, finish_reason }] }, { ...shared, choices: [], usage }]) {
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  });
  return server;
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

const [acme, router] = [await startHost("From acme"), await startHost("From the router")];
const folder = mkdtempSync(join(tmpdir(), "provider-entries-"));
const write = (name: string, content: object) => {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return join(folder, name);
};
const costs = (input: string, cached: string, output: string) => [
  { kind: "input", per1M: input },
  { kind: "cache_read", per1M: cached },
  { kind: "output", per1M: output },
];
const PROVIDERS_FILE = write("providers.json", {
  providers: [
    { id: "acme", name: "Acme", baseUrl: `${acme.url}/v1`, keyVariable: "ACME_API_KEY", dialect: { efforts: ["low", "high"] } },
    { id: "router", baseUrl: `${router.url}/api/v1`, dialect: { maxPrice: true, body: { provider: { sort: "price" } } } },
  ],
});
const MODELS_FILE = write("models.json", {
  models: [
    {
      id: "open-model",
      routes: [
        { provider: "acme", wireName: "open/model", providerCosts: costs("1", "0.1", "2") },
        { provider: "router", wireName: "vendor/open-model", providerCosts: costs("1.5", "0.05", "1.8") },
      ],
      contextWindow: 32_000,
      maxOutputTokens: 4_000,
      prices: costs("1.6", "0.2", "2.1"),
    },
  ],
});

const service = await openService({ env: { PROVIDERS_FILE, MODELS_FILE, ACME_API_KEY: HOST_KEY, SANDBOX_REAL_MODELS: "1" } });

beforeEach(() => failing.clear());
afterAll(async () => {
  await service.log.expectNoSecrets([HOST_KEY]);
  await Promise.all([acme.close(), router.close()]);
  rmSync(folder, { recursive: true });
});

const lastOf = (host: ProviderServer) => {
  const { path, headers, body } = host.requests.at(-1) ?? expect.fail("it was not called");
  return { path, headers, body: JSON.parse(body) as Record<string, unknown> };
};
const promptOf = (fields: object = {}) => ({ model: "open-model", prompt: QUESTION, maxTokens: 500, ...fields });
/** 200 plain and 1,000 cached input tokens, 40 of output, at the prices of the file: nano-USD. */
const expected = { inputCost: 200n * 1_600n + 1_000n * 200n, outputCost: 40n * 2_100n };

test("a prompt is answered by the provider of the file and charged exactly by its counts, kind by kind", async () => {
  const { accountId, key, credit } = await openAccount();
  for (const entry of ["node", "next"] as const) {
    const { status, text } = await ask({ url: service.url(entry), key, body: promptOf() });
    expect(status).toBe(200);
    expect(readPromptBody(text)).toMatchObject({ text: "From acme", model: "open-model", usage: { inputTokens: 1_200, outputTokens: 40 } });
    expect(readCosts(text)).toMatchObject(expected);
  }
  expect(lastOf(acme)).toMatchObject({
    path: "/v1/chat/completions",
    headers: { authorization: `Bearer ${HOST_KEY}` },
    body: { model: "open/model", max_tokens: 500, messages: [{ role: "user", content: QUESTION }] },
  });
  const [charge] = await chargesOf(accountId);
  expect(charge).toMatchObject({ provider: "acme", cached_input_tokens: 1_000n, reasoning_tokens: 10n, operator_loss: 0n });
  expect(charge?.provider_request_id).toMatch(/^chatcmpl-\d$/);
  await expectPaid({ accountId, credit });
});

test("a model of the file without a release date is listed with the date that stands for an unknown one", async () => {
  const { text } = await ask({ url: service.url("node"), path: "/api/v1/models/open-model", method: "GET" });
  expect(JSON.parse(text)).toMatchObject({ id: "open-model", created: 0, created_at: "1970-01-01T00:00:00Z" });
});

test("a stream has the same text and cost, and asks for its usage", async () => {
  const { key } = await openAccount();
  const { text } = await ask({ url: service.url("node"), key, body: promptOf({ stream: true }) });
  const events = readEvents(text);
  expect(deltaText(events)).toBe("From acme");
  expect(events.at(-1)).toMatchObject({ event: "done" });
  expect(readCosts(text)).toMatchObject(expected);
  expect(lastOf(acme).body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

test("when the first route fails the second answers, at the same price, which covers the dearer; it is told our costs as its limit", async () => {
  failing.add("From acme");
  const { accountId, key } = await openAccount();
  const { status, text } = await ask({ url: service.url("node"), key, body: promptOf() });
  expect(status).toBe(200);
  expect(readPromptBody(text).text).toBe("From the router");
  expect(readCosts(text)).toMatchObject(expected);
  expect((await chargesOf(accountId))[0]).toMatchObject({ provider: "router", model: "open-model" });
  expect(lastOf(router)).toMatchObject({
    path: "/api/v1/chat/completions",
    // Of each kind the dearer of both routes.
    body: { model: "vendor/open-model", provider: { sort: "price", max_price: { prompt: 1.5, completion: 2, request: 0 } } },
  });
  expect(modelOf("open-model").costs).toMatchObject([{ input: 1_500n, cacheRead: 100n, output: 2_000n }]);
});

test("when every route fails nothing is charged, and neither the answer nor the log has a key", async () => {
  failing.add("From acme");
  failing.add("From the router");
  const { accountId, key, credit } = await openAccount();
  const answer = await ask({ url: service.url("node"), key, body: promptOf() });
  expect(readError(answer, "PROVIDER_BUSY").details).toMatchObject({ retryable: true, retryAfterMs: 5_000 });
  expect(answer.text).not.toContain(HOST_KEY);
  expect(await chargesOf(accountId)).toEqual([]);
  await expectPaid({ accountId, credit });
});

test("the models of the file are listed beside the simulated ones, with their provider", async () => {
  const { text } = await ask({ url: service.url("node"), path: "/api/v1/models", method: "GET" });
  const { data } = JSON.parse(text) as { data: { id: string; owned_by: string }[] };
  expect(data.find(({ id }) => id === "open-model")).toMatchObject({ owned_by: "acme" });
  expect(data.map(({ id }) => id)).toContain("gpt-4o-mini");
  expect([...endpoints().keys()]).toEqual(["openai", "anthropic", "gemini", "xai", "deepseek", "acme", "router"]);
});

test("reasoning reaches it in the words of its entry", async () => {
  const { key } = await openAccount();
  const messages = [{ role: "user", content: QUESTION }];
  const body = { model: "open-model", messages, reasoning_effort: "medium", max_completion_tokens: 500 };
  const { status } = await ask({ url: service.url("node"), key, path: "/api/v1/chat/completions", body });
  expect(status).toBe(200);
  expect(lastOf(acme).body).toMatchObject({ reasoning_effort: "low", max_tokens: 500 });
});
