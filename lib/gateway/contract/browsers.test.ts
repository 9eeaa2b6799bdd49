// Pages of other sites: a web wallet may pay with x402 from any of them, a key is refused unless the operator lists the page's origin. The
// checks are a browser's (https://fetch.spec.whatwg.org/#cors-preflight-fetch): what it sends, and what it requires of each answer.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { refuseNewRequests } from "../http/endpoint";
import { openAccount } from "./testing/accounts";
import { expectPaid } from "./testing/books";
import { type Answer, ask, expectCommonHeaders, promptOf, readEvents } from "./testing/client";
import { type EntryName, entryNames, openService } from "./testing/service";

const service = await openService({ env: { BASE_RPC_URLS: "http://127.0.0.1:1" } });
const ORIGIN = "https://wallet.example";

function allowPages(origins: string): void {
  process.env.CORS_ORIGINS = origins;
  forgetSingleton("config");
}

afterEach(() => {
  delete process.env.CORS_ORIGINS;
  for (const name of ["config", "gateway drain"]) forgetSingleton(name);
});

const listOf = (answer: Answer, name: string): string[] =>
  (answer.headers.get(name) ?? "").split(",").map((item) => item.trim().toLowerCase());

interface Sent {
  path: string;
  method?: string;
  headers?: readonly string[];
  origin?: string;
}

/** The preflight of a browser whose page is about to send this. */
const preflight = (entry: EntryName, { path, method = "POST", headers = [], origin = ORIGIN }: Sent): Promise<Answer> =>
  ask({
    url: service.url(entry),
    path,
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": method,
      ...(headers.length > 0 && { "access-control-request-headers": headers.join(",") }),
    },
  });

/** Fails where a browser would not go on after this preflight; `*` never stands for Authorization. */
function expectAllowed(answer: Answer, { method = "POST", headers = [], origin = ORIGIN }: Omit<Sent, "path">): void {
  expect(answer.status).toBe(204);
  expect(answer.text).toBe("");
  expect(["*", origin]).toContain(answer.headers.get("access-control-allow-origin"));
  expect(listOf(answer, "access-control-allow-methods")).toContain(method.toLowerCase());
  const allowed = listOf(answer, "access-control-allow-headers");
  for (const name of headers) expect([...allowed, ...(allowed.includes("*") && name !== "authorization" ? [name] : [])]).toContain(name);
  expect(Number(answer.headers.get("access-control-max-age"))).toBeGreaterThan(0);
  expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  expectCommonHeaders(answer.headers, answer.headers.get("x-request-id") ?? "");
}

/** Fails where a page could not read this answer or one of these headers. */
function expectReadable(answer: Answer, ...names: string[]): void {
  expect(["*", ORIGIN]).toContain(answer.headers.get("access-control-allow-origin"));
  expect(listOf(answer, "access-control-expose-headers")).toEqual(expect.arrayContaining(names));
}

const walletEndpoints = [
  ["POST", "/api/v1/x402/prompt"],
  ["GET", "/api/v1/payment-terms"],
  ["GET", "/.well-known/x402"],
] as const;

// As @x402/fetch 2 sends them: with its payment goes the name of an answer's header.
const ofX402 = ["content-type", "idempotency-key", "payment-signature", "sign-in-with-x", "access-control-expose-headers", "x-payment"];

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);

  test.each(walletEndpoints)("a wallet in any page may call %s %s", async (method, path) => {
    expectAllowed(await preflight(entry, { path, method, headers: ofX402 }), { method, headers: ofX402 });
    const plain = await ask({ url, path, method: "OPTIONS" });
    expect(plain.status).toBe(204);
    expect(plain.headers.get("content-length")).toBeNull();
  });

  test("the answers of these endpoints can be read by the page, the price, errors and a shutdown included", async () => {
    const post = (body: unknown, headers = {}) => ask({ url, path: "/api/v1/x402/prompt", headers: { origin: ORIGIN, ...headers }, body });
    const price = await post({ model: "gpt-4o-mini", prompt: "Why?" });
    expect(price.status).toBe(402);
    expectReadable(price, "payment-required", "payment-response", "x-request-id", "retry-after");
    const malformed = await post("{", { "payment-signature": "nonsense" });
    expect(malformed.status).toBe(400);
    expectReadable(malformed);
    const removed = await ask({ url, path: "/api/v1/x402/prompt", method: "DELETE", headers: { origin: ORIGIN } });
    expect(removed.status).toBe(405);
    expectReadable(removed);
    for (const path of ["/api/v1/payment-terms", "/.well-known/x402"]) {
      const answer = await ask({ url, path, method: "GET", headers: { origin: ORIGIN } });
      expect(answer.status).toBe(200);
      expectReadable(answer, "x-request-id");
    }
    refuseNewRequests();
    const late = await post({ model: "gpt-4o-mini", prompt: "Why?" });
    expect(late.status).toBe(503);
    expectReadable(late, "retry-after");
    expectAllowed(await preflight(entry, { path: "/api/v1/x402/prompt" }), {});
  });

  test("no page may call an endpoint with a key, unless the operator lists it", async () => {
    const { key } = await openAccount();
    for (const path of ["/api/v1/prompt", "/api/v1/chat/completions", "/api/v1/messages", "/api/v1/nothing"]) {
      const asked = await preflight(entry, { path, headers: ["authorization"] });
      expect([404, 405]).toContain(asked.status);
      const answer = await ask({ url, path, key, headers: { origin: ORIGIN }, body: promptOf() });
      for (const { headers } of [asked, answer])
        expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  test("a listed page may, and each answer says that it depends on the page", async () => {
    allowPages(`https://other.example, ${ORIGIN.toUpperCase()}/`);
    const account = await openAccount();
    const headers = ["authorization", "x-api-key", "content-type", "idempotency-key", "x-clip-to-balance"];
    expectAllowed(await preflight(entry, { path: "/api/v1/prompt", headers }), { headers });
    const stream = await ask({ url, key: account.key, headers: { origin: ORIGIN }, body: promptOf({ stream: true }) });
    expect(readEvents(stream.text).at(-1)?.event).toBe("done");
    expectReadable(stream, "x-request-id", "x-clipped-to", "server-timing");
    const unknown = await ask({ url, path: "/api/v1/nothing", method: "GET", headers: { origin: ORIGIN } });
    expect(unknown.status).toBe(404);
    expectReadable(unknown);
    for (const answer of [
      stream,
      unknown,
      await ask({ url, path: "/api/v1/models", method: "GET" }),
      await ask({ url, path: "/api/v1/models", method: "GET", headers: { origin: "https://wallet.example.evil.example" } }),
    ]) {
      expect(answer.headers.get("vary")).toBe("Origin");
      expect(answer.headers.get("access-control-allow-origin") ?? ORIGIN).toBe(ORIGIN);
    }
    expect((await preflight(entry, { path: "/api/v1/prompt", origin: "https://evil.example" })).status).toBe(405);
    await expectPaid(account);
  });

  test.each([
    [
      "OpenAI's",
      (fetch: typeof globalThis.fetch, apiKey: string) =>
        new OpenAI({ apiKey, baseURL: `${url}/api/v1`, fetch, dangerouslyAllowBrowser: true }).chat.completions.create({
          model: "gpt-4o-mini",
          messages: [{ role: "user", content: "Why?" }],
        }),
    ],
    [
      "Anthropic's",
      (fetch: typeof globalThis.fetch, apiKey: string) =>
        new Anthropic({ apiKey, baseURL: `${url}/api`, fetch, dangerouslyAllowBrowser: true }).messages.create({
          model: "gpt-4o-mini",
          max_tokens: 50,
          messages: [{ role: "user", content: "Why?" }],
        }),
    ],
  ])("with * %s client works in any page, with each header that it sends", async (_name, call) => {
    allowPages("*");
    const account = await openAccount();
    const asBrowser: typeof fetch = async (target, init) => {
      const request = new Request(target, init);
      const headers = [...request.headers.keys()].filter((name) => name !== "accept" && name !== "user-agent");
      const sent = { path: new URL(request.url).pathname, method: request.method, headers };
      expectAllowed(await preflight(entry, sent), sent);
      const response = await fetch(request);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("vary")).toBeNull();
      return response;
    };
    expect(await call(asBrowser, account.key)).toMatchObject({ id: expect.any(String) });
    await expectPaid(account);
  });
});
