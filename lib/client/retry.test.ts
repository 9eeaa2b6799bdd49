// Retries against a real server: which failures are retried, how often, after what delay, and under which key.

import { describe, expect, test } from "vitest";
import { ConnectionError, hasCode, PennyPrompt, type PennyPromptOptions } from "./pennyprompt";
import { ANSWER, fault, hang, json, openScriptedService, REQUEST_ID, reset, type Step } from "./testing/scripted-service";

const service = openScriptedService();
const request = { model: "gpt-4o-mini", prompt: "Hello" };
const good = json(200, ANSWER);

/** A client that skips its waits and records how long they would have been. */
function openClient(options: Partial<PennyPromptOptions> = {}) {
  const delaysMs: number[] = [];
  const sleep = async (ms: number) => void delaysMs.push(ms);
  return { client: new PennyPrompt({ apiKey: "pp_test", baseUrl: service.url, sleep, ...options }), delaysMs };
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

const busy = fault(500, "INTERNAL_ERROR", { reason: "provider_unavailable", retryable: true });

const cutInTheMiddle: Step = async (response) => {
  response.writeHead(200, { "content-length": 500 });
  await new Promise((written) => response.write('{"success"', written));
  response.destroy();
};

describe("retried", () => {
  test.each<[string, Step]>([
    ["a connection that was reset before the answer", reset],
    ["a connection that was reset in the middle of it", cutInTheMiddle],
    ["an answer that was cut and closed", (response) => void response.writeHead(200).end('{"success":true,"te')],
    ["a proxy's 502", (response) => void response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>")],
    ["409 REQUEST_IN_PROGRESS", fault(409, "REQUEST_IN_PROGRESS")],
    ["429", fault(429, "RATE_LIMIT_EXCEEDED", { limit: "rate", retryAfterMs: 20 })],
    ["500 with retryable true", busy],
    ["503 SHUTTING_DOWN", fault(503, "SHUTTING_DOWN")],
    ["503 PROVIDER_BUSY", fault(503, "PROVIDER_BUSY", { reason: "provider_busy", retryable: true, retryAfterMs: 20 })],
    ["503 SETTLEMENT_PENDING", fault(503, "SETTLEMENT_PENDING")],
  ])("%s: the same request under the same key", async (_case, step) => {
    service.answer(step, good);
    const { client, delaysMs } = openClient();
    expect(await client.prompt(request)).toEqual(ANSWER);
    expect(delaysMs).toHaveLength(1);
    const [first, second] = service.received;
    expect(service.received).toHaveLength(2);
    expect(first?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toEqual(first);
  });

  test("silence, after timeoutMs", async () => {
    service.answer(hang, good);
    const { client } = openClient({ timeoutMs: 200 });
    expect(await client.prompt(request)).toEqual(ANSWER);
  });

  test("no server at all", async () => {
    const { client, delaysMs } = openClient({ baseUrl: "http://127.0.0.1:1" });
    const error = await failureOf(client.prompt(request, { idempotencyKey: "mine" }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ idempotencyKey: "mine", requestId: undefined, status: undefined, cause: expect.any(Error) });
    expect(delaysMs).toHaveLength(2);
  });
});

describe("never retried", () => {
  test.each<[string, Step]>([
    ["400", fault(400, "INVALID_REQUEST", { issues: [] })],
    ["400 INVALID_MODEL", fault(400, "INVALID_MODEL", { supportedModels: [] })],
    ["401", fault(401, "INVALID_API_KEY", { reason: "revoked" })],
    ["402", fault(402, "INSUFFICIENT_BALANCE", { retryable: true })],
    ["402, whatever its details and headers say", fault(402, "SPEND_CAP_REACHED", { retryable: true }, { "retry-after": "1" })],
    ["404", fault(404, "NOT_FOUND")],
    ["500 without retryable", fault(500, "INTERNAL_ERROR")],
    ["500 with retryable false", fault(500, "INTERNAL_ERROR", { retryable: false })],
    ["500 that was charged", fault(500, "INTERNAL_ERROR", { retryable: true, cost: ANSWER.cost })],
    ["an unknown code", fault(418, "TEAPOT")],
    ["a proxy's 403", (response) => void response.writeHead(403).end("Forbidden")],
    ["429 for more than a minute", fault(429, "RATE_LIMIT_EXCEEDED", {}, { "retry-after": "61" })],
  ])("%s", async (_case, step) => {
    service.answer(step, good);
    const { client, delaysMs } = openClient();
    await failureOf(client.prompt(request));
    expect([service.received.length, delaysMs]).toEqual([1, []]);
  });

  test("anything, with maxRetries 0", async () => {
    for (const step of [reset, busy, fault(409, "REQUEST_IN_PROGRESS")]) {
      service.received.length = 0;
      service.answer(step, good);
      await failureOf(openClient({ maxRetries: 0 }).client.prompt(request));
      expect(service.received).toHaveLength(1);
    }
  });
});

describe("number and delay of retries", () => {
  test("maxRetries times, with a delay that doubles up to 8 s and is half random", async () => {
    service.answer(busy);
    const { client, delaysMs } = openClient({ maxRetries: 7 });
    expect(hasCode(await failureOf(client.prompt(request)), "INTERNAL_ERROR")).toBe(true);
    expect(service.received).toHaveLength(8);
    const longest = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000];
    expect(delaysMs).toHaveLength(longest.length);
    delaysMs.forEach((ms, at) => {
      expect(ms).toBeGreaterThanOrEqual((longest[at] ?? 0) / 2);
      expect(ms).toBeLessThanOrEqual(longest[at] ?? 0);
    });
    expect(new Set(delaysMs).size).toBeGreaterThan(3);
  });

  test("twice by default", async () => {
    service.answer(busy);
    await failureOf(openClient().client.prompt(request));
    expect(service.received).toHaveLength(3);
  });

  test.each([
    ["seconds", "7", 7_000],
    ["a minute", "60", 60_000],
    ["an invalid format", "soon", 500],
  ])("Retry-After in %s", async (_case, header, atMost) => {
    service.answer(fault(503, "SHUTTING_DOWN", {}, { "retry-after": header }), good);
    const { client, delaysMs } = openClient();
    await client.prompt(request);
    expect(delaysMs[0]).toBeLessThanOrEqual(atMost);
    expect(delaysMs[0]).toBeGreaterThanOrEqual(atMost === 500 ? 250 : atMost);
  });

  test("Retry-After as a date", async () => {
    service.answer(fault(503, "SHUTTING_DOWN", {}, { "retry-after": new Date(Date.now() + 20_000).toUTCString() }), good);
    const { client, delaysMs } = openClient();
    await client.prompt(request);
    expect(delaysMs[0]).toBeGreaterThan(15_000);
    expect(delaysMs[0]).toBeLessThanOrEqual(20_000);
  });

  test("details.retryAfterMs where a proxy removed the header", async () => {
    service.answer(fault(429, "RATE_LIMIT_EXCEEDED", { limit: "rate", retryAfterMs: 1_234 }), good);
    const { client, delaysMs } = openClient();
    await client.prompt(request);
    expect(delaysMs).toEqual([1_234]);
  });

  test("a request still running under the key is waited for beyond maxRetries, until its answer", async () => {
    const running = fault(409, "REQUEST_IN_PROGRESS", {}, { "retry-after": "1" });
    service.answer(reset, ...Array.from({ length: 12 }, () => running), good);
    const { client, delaysMs } = openClient();
    expect((await client.prompt(request)).requestId).toBe(REQUEST_ID);
    expect(delaysMs).toHaveLength(13);
    expect(Math.min(...delaysMs.slice(1))).toBeGreaterThanOrEqual(1_000);
  });

  test("a request still running under the key is not waited for longer than timeoutMs", async () => {
    service.answer(fault(409, "REQUEST_IN_PROGRESS", {}, { "retry-after": "10" }));
    const error = await failureOf(openClient({ timeoutMs: 30_000 }).client.prompt(request, { idempotencyKey: "mine" }));
    expect(hasCode(error, "REQUEST_IN_PROGRESS") && error.idempotencyKey).toBe("mine");
    expect(service.received).toHaveLength(4);
  });
});
