// The client's calls as a server sees them, its errors, and its dependencies.

import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { ConnectionError, hasCode, PennyPrompt, PennyPromptError } from "./pennyprompt";
import { ANSWER, fault, json, openScriptedService, REQUEST_ID } from "./testing/scripted-service";

const service = openScriptedService();
const request = { model: "gpt-4o-mini", prompt: "Hello" };
const openClient = () => new PennyPrompt({ apiKey: "pp_secret", baseUrl: service.url, sleep: async () => undefined });

describe("the calls", () => {
  test("a prompt goes out as written, with the API key and its own idempotency key", async () => {
    service.answer(json(200, ANSWER));
    const full = { ...request, system: "Be kind", maxTokens: 5, temperature: 0.5, maxCost: 0.01 };
    expect(await openClient().prompt(full)).toEqual(ANSWER);
    await openClient().prompt(full);
    const [first, second] = service.received;
    expect(first).toMatchObject({
      method: "POST",
      path: "/api/v1/prompt",
      headers: { authorization: "Bearer pp_secret", "content-type": "application/json" },
    });
    expect(JSON.parse(first?.body ?? "")).toEqual(full);
    expect(first?.headers["idempotency-key"]).not.toBe(second?.headers["idempotency-key"]);
  });

  test.each<[string, (client: PennyPrompt) => Promise<unknown>, string]>([
    ["models", (client) => client.models(), "GET /api/v1/models"],
    ["balance", (client) => client.balance(), "GET /api/v1/balance"],
    ["usage", (client) => client.usage(), "GET /api/v1/usage"],
    [
      "usage with a query",
      (client) => client.usage({ from: "2026-01-31T00:00:00Z", groupBy: ["day", "key"], limit: 9, cursor: undefined }),
      "GET /api/v1/usage?from=2026-01-31T00%3A00%3A00Z&groupBy=day%2Ckey&limit=9",
    ],
    ["request", (client) => client.request("req_a/../b"), "GET /api/v1/requests/req_a%2F..%2Fb"],
    ["quote", (client) => client.quote(request), "POST /api/v1/quote"],
  ])("%s", async (_name, call, line) => {
    service.answer(json(200, { object: "list" }));
    expect(await call(openClient())).toEqual({ requestId: REQUEST_ID, object: "list" });
    const [received] = service.received;
    expect(`${received?.method} ${received?.path}`).toBe(line);
    expect(received?.headers["idempotency-key"]).toBeUndefined();
  });

  test("a base URL may end with a slash and have a path", async () => {
    service.answer(json(200, {}));
    await new PennyPrompt({ apiKey: "pp_secret", baseUrl: `${service.url}/ai/` }).balance();
    expect(service.received[0]?.path).toBe("/ai/api/v1/balance");
  });

  test("a custom fetch is called as a plain function", async () => {
    const urls: string[] = [];
    async function ownFetch(this: unknown, url: string) {
      expect(this).toBeUndefined();
      urls.push(url);
      return Response.json({ available: 1 }, { headers: { "x-request-id": "req_own" } });
    }
    const client = new PennyPrompt({ apiKey: "pp_secret", baseUrl: "https://penny.example", fetch: ownFetch });
    expect(await client.balance()).toEqual({ available: 1, requestId: "req_own" });
    expect(urls).toEqual(["https://penny.example/api/v1/balance"]);
  });

  test.each([
    { apiKey: "" },
    { apiKey: "pp_with\nnewline" },
    { baseUrl: "penny.example" },
    { baseUrl: "file:///etc" },
    { timeoutMs: Number.POSITIVE_INFINITY },
    { timeoutMs: 0 },
    { maxRetries: 1.5 },
    { maxRetries: -1 },
  ])("invalid options are refused: %o", (options) => {
    expect(() => new PennyPrompt({ apiKey: "pp_secret", baseUrl: "https://penny.example", ...options })).toThrow(TypeError);
  });

  test.each(["", "k".repeat(256), "caf\u00e9", "a\tb"])(
    "an idempotency key that the service would refuse is not sent: %j",
    async (idempotencyKey) => {
      await expect(openClient().prompt(request, { idempotencyKey })).rejects.toThrow(TypeError);
      expect(() => openClient().stream(request, { idempotencyKey })).toThrow(TypeError);
      expect(service.received).toEqual([]);
    },
  );
});

describe("errors", () => {
  test("carry everything that the service sent", async () => {
    service.answer(fault(429, "RATE_LIMIT_EXCEEDED", { limit: "rate", retryAfterMs: 90_000 }, { "retry-after": "90" }));
    const error: unknown = await openClient()
      .prompt(request, { idempotencyKey: "mine" })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(PennyPromptError);
    expect(error).toMatchObject({
      name: "PennyPromptError",
      message: "It is RATE_LIMIT_EXCEEDED",
      code: "RATE_LIMIT_EXCEEDED",
      status: 429,
      details: { limit: "rate", retryAfterMs: 90_000, docs: "https://penny.example" },
      requestId: REQUEST_ID,
      retryAfterMs: 90_000,
      idempotencyKey: "mine",
    });
    expect(hasCode(error, "RATE_LIMIT_EXCEEDED") && error.details.limit).toBe("rate");
    expect(hasCode(error, "NOT_FOUND")).toBe(false);
    expect(hasCode(new Error("other"), "NOT_FOUND")).toBe(false);
  });

  test("of a proxy in between are connection errors with its status", async () => {
    service.answer((response) => void response.writeHead(413, { "content-type": "text/html" }).end("<h1>Too large</h1>"));
    const error: unknown = await openClient()
      .balance()
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ status: 413, message: "HTTP 413, not from the service itself" });
  });

  test("and the client itself never show the API key", async () => {
    const client = openClient();
    service.answer((response) => void response.destroy());
    const error: unknown = await client.balance().catch((caught: unknown) => caught);
    expect(inspect([client, error], { depth: 9, showHidden: true })).not.toContain("pp_secret");
    expect(JSON.stringify([client, error])).not.toContain("pp_secret");
    expect(() => new PennyPrompt({ apiKey: "pp_secret\n", baseUrl: "https://penny.example" })).not.toThrow("pp_secret");
  });
});

test("the client has no dependencies: a browser bundle contains only its own files", async () => {
  const entry = fileURLToPath(new URL("./pennyprompt.ts", import.meta.url));
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: "browser",
    logLevel: "silent",
  });
  for (const file of Object.keys(metafile.inputs)) expect(file).toMatch(/^lib\/client\/[a-z-]+\.ts$/);
  expect(Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external))).toEqual([]);
});
