// How a call stops: time runs out, the caller aborts, the reader leaves. In each case the connection to the provider is closed;
// after a whole answer it is reused.

import { setImmediate as nextTurn } from "node:timers/promises";
import { type buildConnector, Pool } from "undici";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readConfig } from "@/lib/base/config";
import { metrics } from "@/lib/base/observe/metrics";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { CallBudget } from "./budget";
import { streamFromRoutes } from "./call";
import { callAt, limits, modelAt, readCall } from "./testing/call-kit";
import { type Behaviour, closedPort, lineFormat, type ProviderServer, startProvider } from "./testing/provider-server";
import { closeProviderPools, openOrigin } from "./transport";

const servers: ProviderServer[] = [];

beforeEach(() => {
  replaceSingleton("config", readConfig({ PROVIDER_CONNECT_TIMEOUT_MS: "500" }));
  forgetSingleton("circuitBreakers");
  forgetSingleton("metrics");
});
afterEach(async () => {
  await nextTurn(); // metrics are counted on the next turn
  await closeProviderPools();
  for (const server of servers.splice(0)) await server.close();
  forgetSingleton("config");
});

async function provider(behave: Behaviour): Promise<ProviderServer> {
  const server = await startProvider(behave);
  servers.push(server);
  return server;
}

const good: Behaviour = (response) => response.end("text Hello\nend 3 2\n");
const silent: Behaviour = () => undefined;
const headersOnly: Behaviour = (response) => response.writeHead(200).flushHeaders();
const oneToken: Behaviour = (response) => response.write("text Hel\n");
const isCutOff = (server: ProviderServer) => vi.waitFor(() => expect(server.cutOff()).toBe(1), { timeout: 30_000 });

test.each([true, false])(
  "a provider that hangs before its headers times out, and its connection is closed (stream: %s)",
  async (stream) => {
    const server = await provider(silent);
    const { failure } = await readCall(callAt([server.url], { stream, limits: { PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 150 } }));
    expect(failure).toMatchObject({ kind: "timeout", accepted: false });
    expect(failure?.message).toContain("first token");
    expect(server.requests).toHaveLength(1);
    await isCutOff(server);
  },
);

test("a provider that hangs after its headers times out as accepted", async () => {
  const server = await provider(headersOnly);
  const { failure } = await readCall(callAt([server.url], { limits: { PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 150 } }));
  expect(failure).toMatchObject({ kind: "timeout", accepted: true });
  await isCutOff(server);
});

test("keep-alive bytes do not prolong the wait for the first token", async () => {
  const server = await provider((response) => {
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  });
  const { failure } = await readCall(
    callAt([server.url], { limits: { PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 200, PROVIDER_IDLE_TIMEOUT_MS: 100 } }),
  );
  expect(failure?.message).toContain("first token");
});

test("a late first token leaves the next provider its full time", async () => {
  const [hung, other] = [await provider(silent), await provider(good)];
  const { text, answer } = await readCall(callAt([hung.url, other.url], { limits: { PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 200 } }));
  expect(text).toBe("Hello");
  expect(answer.route?.wireName).toBe("wire-1");
  await isCutOff(hung);
});

test("a stream that falls silent midway times out, and what arrived before stays", async () => {
  const server = await provider(oneToken);
  const { text, failure } = await readCall(callAt([server.url], { limits: { PROVIDER_IDLE_TIMEOUT_MS: 150 } }));
  expect(text).toBe("Hel");
  expect(failure).toMatchObject({ kind: "timeout", accepted: true });
  expect(failure?.message).toContain("next chunk");
  await isCutOff(server);
});

test("a stream that never ends hits the total timeout", async () => {
  const server = await provider((response) => {
    const timer = setInterval(() => response.write("text x\n"), 10);
    response.on("close", () => clearInterval(timer));
  });
  const { text, failure } = await readCall(callAt([server.url], { limits: { PROVIDER_TOTAL_TIMEOUT_MS: 300 } }));
  expect(text).toMatch(/^x+$/);
  expect(failure).toMatchObject({ kind: "timeout", accepted: true });
  await isCutOff(server);
});

test.each([
  ["before the headers", silent, false],
  ["before the first token", headersOnly, true],
  ["in the middle", oneToken, true],
])("a caller that aborts %s closes the connection", async (_when, behave, accepted) => {
  const server = await provider(behave);
  const controller = new AbortController();
  const call = callAt([server.url], { signal: controller.signal });
  const outcome = readCall(call);
  await vi.waitFor(() => expect([server.requests.length, call.answer.acceptedAt !== undefined]).toEqual([1, accepted]), {
    timeout: 30_000,
  });
  controller.abort();
  expect((await outcome).failure).toMatchObject({ kind: "aborted", accepted });
  await isCutOff(server);
  expect(server.requests).toHaveLength(1);
});

test("a call aborted before the first event sends nothing", async () => {
  const server = await provider(good);
  const { failure } = await readCall(callAt([server.url], { signal: AbortSignal.abort() }));
  expect(failure).toMatchObject({ kind: "aborted", accepted: false });
  expect(server.requests).toHaveLength(0);
});

test("a caller that aborts between two tries is not kept waiting", async () => {
  const server = await provider((response) => response.writeHead(429, { "retry-after": "4" }).end());
  const controller = new AbortController();
  const outcome = readCall(callAt([server.url], { signal: controller.signal }));
  await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 30_000 });
  controller.abort();
  expect((await outcome).failure?.kind).toBe("aborted");
  expect(server.requests).toHaveLength(1);
});

test("a caller that aborts while connecting gets the failure at once", async () => {
  const origin = await closedPort();
  const connections: buildConnector.Callback[] = [];
  replaceSingleton(
    "provider origins",
    new Map([[origin, openOrigin(new Pool(origin, { connect: (_options, done) => connections.push(done) }))]]),
  );
  const controller = new AbortController();
  const outcome = readCall(callAt([origin], { signal: controller.signal }));
  await vi.waitFor(() => expect(connections).toHaveLength(1), { timeout: 30_000 });
  controller.abort();
  expect((await outcome).failure).toMatchObject({ kind: "aborted", accepted: false });
  connections[0]?.(new Error("too late"), null);
});

test("a reader that leaves early closes the connection", async () => {
  const server = await provider(oneToken);
  for await (const event of callAt([server.url]).events) {
    expect(event).toEqual({ type: "text", text: "Hel" });
    break;
  }
  await isCutOff(server);
  await nextTurn(); // metrics are counted on the next turn
  expect(await metrics().registry.metrics()).toContain('pennyprompt_provider_calls_total{provider="openai",outcome="aborted"} 1');
});

test("a stream abandoned at its first event closes its own connection, before its budget is stopped", async () => {
  const server = await provider(oneToken);
  const { model, endpoints } = modelAt(server.url);
  const setup = {
    endpoints,
    formats: { openai: lineFormat, "openai-responses": lineFormat, anthropic: lineFormat, gemini: lineFormat },
    limits,
  };
  const call = { messages: [], maxOutputTokens: 1, stream: true };
  for await (const _ of streamFromRoutes({ model, call, budget: new CallBudget(limits, null), answer: {}, setup })) break;
  await isCutOff(server);
});

test("a reader that leaves while it waits for an event closes the connection at once", async () => {
  const server = await provider(oneToken);
  const { events } = callAt([server.url]);
  await events.next();
  const pending = events.next();
  const refused = expect(pending).rejects.toMatchObject({ kind: "aborted", accepted: true });
  await events.return?.();
  await refused;
  await isCutOff(server);
});

test("a reader that leaves after the last event keeps the connection for the next call", async () => {
  const server = await provider(good);
  for (let call = 0; call < 5; call += 1) {
    for await (const event of callAt([server.url]).events) if (event.type === "finish") break;
  }
  // The next call may begin before the tail of the last answer is read: then there are two connections.
  expect(server.accepted()).toBeLessThanOrEqual(2);
});

test("a provider that keeps sending after the last event is cut off, and the answer stays valid", async () => {
  const server = await provider((response) => {
    response.write("text Hello\nend 3 2\n");
    const timer = setInterval(() => response.write("x".repeat(8_192)), 1);
    response.on("close", () => clearInterval(timer));
  });
  expect(await readCall(callAt([server.url]))).toMatchObject({ text: "Hello", failure: undefined });
  await isCutOff(server);
});

test("a gigantic JSON answer is refused and cut off, a gigantic error is read in part", async () => {
  const flood: Behaviour = (response) => {
    const block = Buffer.alloc(1024 * 1024, "x");
    const write = () => {
      while (!response.destroyed && response.write(block));
    };
    response.on("drain", write);
    write();
  };
  const server = await provider(flood);
  const { failure } = await readCall(callAt([server.url], { stream: false }));
  expect(failure).toMatchObject({ kind: "malformed", accepted: true });
  await isCutOff(server);

  const refusing = await provider((response, nth, request) => flood(response.writeHead(400), nth, request));
  const refused = await readCall(callAt([refusing.url]));
  expect(refused.failure?.kind).toBe("rejected");
  expect(refused.failure?.message.length).toBeLessThan(70_000);
  await isCutOff(refusing);
});

test("a thousand calls at once and a thousand after them share the same connections", async () => {
  const waiting: Parameters<Behaviour>[0][] = [];
  let target = 1_000;
  const server = await provider((response) => {
    waiting.push(response);
    if (waiting.length < target) return;
    for (const held of waiting.splice(0)) held.end("text Hello\nend 3 2\n");
  });
  // A busy machine opens a thousand connections in more than five seconds.
  const limits = { PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 60_000, PROVIDER_TOTAL_TIMEOUT_MS: 60_000 };
  const run = (count: number) => Promise.all(Array.from({ length: count }, () => readCall(callAt([server.url], { limits }))));
  expect((await run(1_000)).every(({ text }) => text === "Hello")).toBe(true);
  target = 500;
  expect((await run(1_000)).every(({ text }) => text === "Hello")).toBe(true);
  expect(server.accepted()).toBeLessThanOrEqual(1_024);
});
