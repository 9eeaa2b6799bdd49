// Calls against real HTTP servers that misbehave: which failure results, what is retried, and which route is next.

import { setImmediate as nextTurn } from "node:timers/promises";
import { buildConnector, errors, Pool } from "undici";
import { afterEach, beforeEach, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { readConfig } from "@/lib/base/config";
import { metrics } from "@/lib/base/observe/metrics";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { callProvider, callProviderWhole } from "./call";
import { apiKey, callAt, limits, modelAt, readCall } from "./testing/call-kit";
import { type Behaviour, closedPort, lineFormat, type ProviderServer, startProvider } from "./testing/provider-server";
import { closeProviderPools, openOrigin } from "./transport";

const servers: ProviderServer[] = [];

beforeEach(() => {
  replaceSingleton("config", readConfig({ PROVIDER_CONNECT_TIMEOUT_MS: "500" }));
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
const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(code, headers).end(`no: ${apiKey}`);

test.each([true, false])("a good answer yields text and usage, and records which route answered when (stream: %s)", async (stream) => {
  const server = await provider(good);
  const { text, events, failure, answer } = await readCall(callAt([`${server.url}/base/`], { stream }));
  expect(failure).toBeUndefined();
  expect(text).toBe("Hello, world");
  expect(events.at(-1)).toMatchObject({ type: "finish", usage: { inputTokens: 3, outputTokens: 2 } });
  expect(server.requests[0]).toMatchObject({ path: "/base/say", headers: { authorization: `Bearer ${apiKey}` } });
  expect(answer.route).toEqual({ provider: "openai", wireName: "wire-0" });
  const { acceptedAt = Number.NaN, firstTokenAt = Number.NaN, endedAt = Number.NaN } = answer;
  expect(acceptedAt).toBeLessThanOrEqual(firstTokenAt);
  expect(firstTokenAt).toBeLessThanOrEqual(endedAt);
  await nextTurn(); // metrics are counted on the next turn
  expect(await metrics().registry.metrics()).toContain('pennyprompt_provider_calls_total{provider="openai",outcome="ok"} 1');
});

test("nothing is sent before the first event is requested, and nothing at all for a reader that leaves earlier", async () => {
  const server = await provider(good);
  const { events } = callAt([server.url]);
  await events.return?.();
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(server.accepted()).toBe(0);
});

test("a closed port is unavailable, after the retries", async () => {
  const { failure, answer } = await readCall(callAt([await closedPort()], { limits: { PROVIDER_RETRIES: 1 } }));
  expect(failure).toMatchObject({ kind: "unavailable", accepted: false });
  expect(answer).toMatchObject({ route: undefined });
  await nextTurn(); // metrics are counted on the next turn
  expect(await metrics().registry.metrics()).toContain('pennyprompt_provider_calls_total{provider="openai",outcome="unavailable"} 2');
});

test("a 500 is retried, and the caller sees only the answer", async () => {
  const server = await provider((response, nth, request) => (nth === 0 ? status(500) : good)(response, nth, request));
  expect(await readCall(callAt([server.url]))).toMatchObject({ text: "Hello, world", failure: undefined });
  expect(server.requests).toHaveLength(2);
});

test("retries end, and the last failure is thrown without the API key", async () => {
  const server = await provider(status(503));
  const { failure } = await readCall(callAt([server.url]));
  expect(server.requests).toHaveLength(3);
  expect(failure).toMatchObject({ kind: "unavailable", httpStatus: 503, accepted: false });
  expect(failure?.message).toContain("[key]");
  expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(apiKey);
});

test("a Retry-After that fits into the first-token time is waited for, one that does not is not", async () => {
  const server = await provider((response, nth, request) =>
    (nth % 2 === 0 ? status(429, { "retry-after": "1" }) : good)(response, nth, request),
  );
  expect((await readCall(callAt([server.url]))).text).toBe("Hello, world");
  expect(server.requests).toHaveLength(2);
  const { failure } = await readCall(callAt([server.url], { limits: { PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 900 } }));
  expect(failure).toMatchObject({ kind: "unavailable", retryAfterMs: 1_000 });
  expect(server.requests).toHaveLength(3);
});

test("a Retry-After beyond the budget sends the call to the next provider at once", async () => {
  const [busy, other] = [await provider(status(429, { "retry-after": "60" })), await provider(good)];
  const { text, answer } = await readCall(callAt([busy.url, other.url]));
  expect(text).toBe("Hello, world");
  expect(answer.route).toEqual({ provider: "anthropic", wireName: "wire-1" });
});

test("a rejected request is neither retried nor sent elsewhere", async () => {
  const [first, second] = [await provider(status(400)), await provider(good)];
  expect((await readCall(callAt([first.url, second.url]))).failure).toMatchObject({ kind: "rejected", httpStatus: 400 });
  expect(first.requests).toHaveLength(1);
  expect(second.requests).toHaveLength(0);
});

test("refused credentials fall back at once", async () => {
  const [first, second] = [await provider(status(401)), await provider(good)];
  expect(await readCall(callAt([first.url, second.url]))).toMatchObject({ text: "Hello, world", failure: undefined });
  expect(first.requests).toHaveLength(1);
});

test("providers are called in order, and the last failure is thrown", async () => {
  const order: string[] = [];
  const failing =
    (name: string, code: number): Behaviour =>
    (response, nth, request) => {
      order.push(name);
      status(code)(response, nth, request);
    };
  const urls = [
    (await provider(failing("first", 500))).url,
    (await provider(failing("second", 502))).url,
    (await provider(failing("third", 503))).url,
  ];
  const { failure } = await readCall(callAt(urls, { limits: { PROVIDER_RETRIES: 1 } }));
  expect(order).toEqual(["first", "first", "second", "second", "third", "third"]);
  expect(failure?.httpStatus).toBe(503);
});

test("an overload reported inside a 200 is retried while nothing was handed on", async () => {
  const server = await provider((response, nth, request) => (nth === 0 ? response.end("overloaded\n") : good(response, nth, request)));
  expect((await readCall(callAt([server.url]))).text).toBe("Hello, world");
});

test.each(["overloaded\n", "rubbish\n", "END"])("after text was handed on, nothing is retried or sent elsewhere (%#)", async (then) => {
  const [first, second] = [
    await provider((response) => {
      response.write("text Hel\n");
      setImmediate(() => (then === "END" ? response.destroy() : response.end(then)));
    }),
    await provider(good),
  ];
  const { text, failure, answer } = await readCall(callAt([first.url, second.url]));
  expect(text).toBe("Hel");
  expect(failure?.accepted).toBe(true);
  expect(failure?.kind).toBe(then === "overloaded\n" ? "unavailable" : "malformed");
  expect(answer.route?.wireName).toBe("wire-0");
  expect(first.requests).toHaveLength(1);
  expect(second.requests).toHaveLength(0);
});

test.each(["rubbish", "end", "text Hello\n", "", "<html>busy</html>"])(
  "a 200 without a whole answer is malformed, accepted, and answered by the next provider (%j)",
  async (body) => {
    const [bad, other] = [await provider((response) => response.end(`${body}\n`)), await provider(good)];
    const stream = body !== "text Hello\n";
    const { failure } = await readCall(callAt([bad.url], { stream }));
    expect(failure).toMatchObject({ kind: "malformed", accepted: true });
    if (stream) expect((await readCall(callAt([bad.url, other.url]))).text).toBe("Hello, world");
  },
);

test("something that is not HTTP is malformed", async () => {
  const server = await provider((response) => response.socket?.end("SSH-2.0-OpenSSH\r\n\r\n"));
  expect((await readCall(callAt([server.url]))).failure).toMatchObject({ kind: "malformed", accepted: false });
});

test("a JSON answer cut before its announced length is malformed", async () => {
  const server = await provider((response) => {
    response.writeHead(200, { "content-length": "1000" }).write("text Hello\n");
    setImmediate(() => response.destroy());
  });
  expect((await readCall(callAt([server.url], { stream: false }))).failure).toMatchObject({ kind: "malformed", accepted: true });
});

test("a redirect is not followed", async () => {
  const target = await provider(good);
  const server = await provider((response) => response.writeHead(307, { location: target.url }).end());
  await readCall(callAt([server.url], { limits: { PROVIDER_RETRIES: 0 } }));
  expect(target.requests).toHaveLength(0);
});

test("an open circuit refuses without trying, falls back, and closes again after a successful probe", async () => {
  let nowMs = Date.now();
  const restoreClock = setClock(() => nowMs);
  try {
    let behave = status(500);
    const server = await provider((...all) => behave(...all));
    const other = await provider(good);
    for (let call = 0; call < 5; call += 1) await readCall(callAt([server.url], { limits: { PROVIDER_RETRIES: 0 } }));
    expect(await metrics().registry.metrics()).toContain('pennyprompt_provider_circuit_open{provider="openai"} 1');

    const { failure } = await readCall(callAt([server.url]));
    expect(failure).toMatchObject({ kind: "unavailable", retryAfterMs: 1_000 });
    expect((await readCall(callAt([server.url, other.url]))).answer.route?.wireName).toBe("wire-1");
    expect(server.requests).toHaveLength(5);

    behave = good;
    nowMs += 1_000;
    expect((await readCall(callAt([server.url]))).text).toBe("Hello, world");
    expect(await metrics().registry.metrics()).toContain('pennyprompt_provider_circuit_open{provider="openai"} 0');
    expect((await readCall(callAt([server.url]))).text).toBe("Hello, world");
  } finally {
    restoreClock();
  }
});

test("rejected requests leave the circuit closed", async () => {
  const server = await provider((response, nth, request) => (nth < 30 ? status(400) : good)(response, nth, request));
  for (let call = 0; call < 30; call += 1) await readCall(callAt([server.url]));
  expect((await readCall(callAt([server.url]))).text).toBe("Hello, world");
});

test("a model whose routes have no endpoint is unavailable", async () => {
  const { model } = modelAt(await closedPort());
  const setup = {
    endpoints: new Map(),
    formats: { openai: lineFormat, "openai-responses": lineFormat, anthropic: lineFormat, gemini: lineFormat },
    limits,
  };
  const call = { messages: [], maxOutputTokens: 1 };
  const { signal } = new AbortController();
  const stream = await readCall(callProvider(model, { ...call, stream: true }, signal, setup));
  const whole = await readCall(callProviderWhole(model, { ...call, stream: false }, signal, setup));
  expect([stream.failure?.kind, whole.failure?.kind]).toEqual(["unavailable", "unavailable"]);
});

test("a connection that takes too long is a timeout, and is retried", async () => {
  const server = await provider(good);
  let tries = 0;
  const connect = buildConnector({});
  const slowAtFirst: buildConnector.connector = (options, done) => {
    tries += 1;
    if (tries <= 3) done(new errors.ConnectTimeoutError("slow"), null);
    else connect(options, done);
  };
  replaceSingleton("provider origins", new Map([[server.url, openOrigin(new Pool(server.url, { connect: slowAtFirst }))]]));
  expect((await readCall(callAt([server.url], { limits: { PROVIDER_RETRIES: 1 } }))).failure).toMatchObject({
    kind: "timeout",
    accepted: false,
  });
  expect((await readCall(callAt([server.url], { limits: { PROVIDER_RETRIES: 1 } }))).text).toBe("Hello, world");
  expect(tries).toBe(4);
});
