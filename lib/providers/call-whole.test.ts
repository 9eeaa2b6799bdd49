// Whole answers: requested at once, retried and sent to fallbacks like streams, and stopped only by their signal or a timeout.

import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readConfig } from "@/lib/base/config";
import { metrics } from "@/lib/base/observe/metrics";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { callProviderWhole, writeAhead } from "./call";
import { endpointAt } from "./endpoints";
import { callAt, limits, modelAt, readCall } from "./testing/call-kit";
import { type Behaviour, lineFormat, type ProviderServer, startProvider } from "./testing/provider-server";
import { closeProviderPools } from "./transport";

const servers: ProviderServer[] = [];

beforeEach(() => {
  replaceSingleton("config", readConfig({}));
  forgetSingleton("circuitBreakers");
  forgetSingleton("metrics");
});
afterEach(async () => {
  await closeProviderPools();
  for (const server of servers.splice(0)) await server.close();
  forgetSingleton("config");
});

async function provider(behave: Behaviour): Promise<ProviderServer> {
  const server = await startProvider(behave);
  servers.push(server);
  return server;
}

const good: Behaviour = (response) => response.end("text Hello\ntext , world\nend 3 2\n");
const silent: Behaviour = () => undefined;
const status =
  (code: number): Behaviour =>
  (response) =>
    response.writeHead(code).end("no");
const counted = async (outcome: string) => {
  await nextTurn(); // metrics are counted on the next turn
  return (await metrics().registry.metrics()).match(
    new RegExp(`provider_calls_total\\{provider="openai",outcome="${outcome}"\\} (\\d+)`),
  )?.[1];
};

test("a whole answer is requested before its promise is awaited, and resolves once, complete", async () => {
  const server = await provider(good);
  const { events, answer } = callAt([server.url], { stream: false });
  await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 30_000 });
  expect((await events).map(({ type }) => type)).toEqual(["text", "text", "finish"]);
  expect(answer.endedAt).toBeGreaterThanOrEqual(answer.firstTokenAt ?? Number.NaN);
  expect(await counted("ok")).toBe("1");
});

test("a whole answer is retried, then sent to the fallback, and a broken-off part is not included", async () => {
  const [broken, other] = [
    await provider((response, nth, request) => (nth === 0 ? status(500)(response, nth, request) : response.end("text Hal\n"))),
    await provider(good),
  ];
  const { text, answer } = await readCall(callAt([broken.url, other.url], { stream: false, limits: { PROVIDER_RETRIES: 1 } }));
  expect(text).toBe("Hello, world");
  expect(answer.route?.wireName).toBe("wire-1");
  expect([broken.requests.length, other.requests.length]).toEqual([2, 1]);
  expect([await counted("malformed"), await counted("unavailable")]).toEqual(["1", "1"]);
});

test("a whole answer that a provider rejects is not requested elsewhere", async () => {
  const [first, second] = [await provider(status(400)), await provider(good)];
  const { failure } = await readCall(callAt([first.url, second.url], { stream: false }));
  expect(failure).toMatchObject({ kind: "rejected", httpStatus: 400 });
  expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
});

test("a late whole answer leaves the next provider its full time", async () => {
  const [hung, other] = [await provider(silent), await provider(good)];
  const { text } = await readCall(callAt([hung.url, other.url], { stream: false, limits: { PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 200 } }));
  expect(text).toBe("Hello, world");
  await vi.waitFor(() => expect(hung.cutOff()).toBe(1), { timeout: 30_000 });
});

test("the signal ends a whole answer at once: its connection is closed, and no fallback is called", async () => {
  const [hung, other] = [await provider(silent), await provider(good)];
  const controller = new AbortController();
  const call = callAt([hung.url, other.url], { stream: false, signal: controller.signal });
  const outcome = readCall(call);
  await vi.waitFor(() => expect(hung.requests).toHaveLength(1), { timeout: 30_000 });
  controller.abort();
  expect((await outcome).failure).toMatchObject({ kind: "aborted", accepted: false });
  expect(call.answer.endedAt).toBeDefined();
  await vi.waitFor(() => expect(hung.cutOff()).toBe(1), { timeout: 30_000 });
  expect(other.requests).toHaveLength(0);
  expect(await counted("aborted")).toBe("1");
});

test("an error of our own is not the provider's failure: it is thrown unchanged, and no fallback is called", async () => {
  const [first, second] = [await provider(good), await provider(good)];
  const { model, endpoints } = modelAt(first.url, second.url);
  const buildRequest = () => {
    throw new TypeError("a bug");
  };
  const format = { ...lineFormat, buildRequest };
  const setup = { endpoints, formats: { openai: format, "openai-responses": format, anthropic: format, gemini: format }, limits };
  const { events } = callProviderWhole(model, { messages: [], maxOutputTokens: 1, stream: false }, null, setup);
  await expect(events).rejects.toThrow(new TypeError("a bug"));
  expect([first.requests.length, second.requests.length]).toEqual([0, 0]);
  expect(await counted("aborted")).toBe("1");
});

test("a request that was written ahead is sent as is, but never to another provider or with another key", async () => {
  const [first, second] = [await provider(good), await provider(good)];
  const { model, endpoints } = modelAt(first.url, second.url);
  const buildRequest = vi.fn(lineFormat.buildRequest);
  const format = { ...lineFormat, buildRequest };
  const formats = { openai: format, "openai-responses": format, anthropic: format, gemini: format };
  const call = writeAhead(model, { messages: [], maxOutputTokens: 1, stream: false as const }, { endpoints, formats });
  expect(first.requests).toEqual([]);
  await callProviderWhole(model, call, null, { endpoints, formats, limits }).events;
  expect([first.requests.length, buildRequest.mock.calls.length]).toEqual([1, 1]);

  const moved = new Map([...endpoints, ["openai", endpointAt("openai", first.url, "sk-another-key")] as const]);
  await callProviderWhole(model, call, null, { endpoints: moved, formats, limits }).events;
  expect(buildRequest.mock.calls.at(-1)?.[2]).toBe("sk-another-key");

  const withoutFirst = new Map([...endpoints].slice(1));
  await callProviderWhole(model, call, null, { endpoints: withoutFirst, formats, limits }).events;
  expect(buildRequest.mock.calls.at(-1)?.[1]).toBe("wire-1");
  expect([first.requests.length, second.requests.length]).toEqual([2, 1]);
});

test("a request that cannot be written ahead fails when it is sent", async () => {
  const { model, endpoints } = modelAt("http://127.0.0.1:1");
  const buildRequest = () => {
    throw new TypeError("a bug");
  };
  const format = { ...lineFormat, buildRequest };
  const formats = { openai: format, "openai-responses": format, anthropic: format, gemini: format };
  const call = writeAhead(model, { messages: [], maxOutputTokens: 1, stream: false as const }, { endpoints, formats });
  await expect(callProviderWhole(model, call, null, { endpoints, formats, limits }).events).rejects.toThrow(new TypeError("a bug"));
});
