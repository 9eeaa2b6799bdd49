// Providers that have too much to do: which refusals say so, in the bodies that vendors document or that bug reports quote, and what a call
// does about it.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "@/lib/base/config";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { anthropicFormat } from "../anthropic";
import { planRetry } from "../call";
import { geminiFormat } from "../gemini";
import { openaiFormat } from "../openai";
import { responsesFormat } from "../openai-responses";
import { callAt, readCall } from "../testing/call-kit";
import { type Behaviour, type ProviderServer, startProvider } from "../testing/provider-server";
import { inPieces } from "../testing/replay";
import { closeProviderPools } from "../transport";
import { isProviderFailure, ProviderFailure, type WireFormat } from "../types";

const refused = (format: WireFormat, status: number, body: object | string, headers: Record<string, string> = {}) =>
  format.readError(status, headers, typeof body === "string" ? body : JSON.stringify(body));

test.each<[what: string, format: WireFormat, status: number, body: object]>([
  ["Anthropic, 529", anthropicFormat, 529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }],
  [
    "Anthropic, 429",
    anthropicFormat,
    429,
    {
      type: "error",
      error: {
        type: "rate_limit_error",
        message: "This request would exceed your organization's rate limit of 80,000 input tokens per minute.",
      },
    },
  ],
  [
    "Gemini, 503",
    geminiFormat,
    503,
    { error: { code: 503, message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" } },
  ],
  [
    "Gemini, 429",
    geminiFormat,
    429,
    { error: { code: 429, message: "Resource has been exhausted (e.g. check quota).", status: "RESOURCE_EXHAUSTED" } },
  ],
  [
    "OpenAI, 503",
    openaiFormat,
    503,
    { error: { message: "That model is currently overloaded with other requests.", type: "server_error", param: null, code: null } },
  ],
  ["OpenAI, slow down", responsesFormat, 503, { error: { message: "Please wait.", type: "service_unavailable_error", code: "slow_down" } }],
  [
    "xAI, 503",
    openaiFormat,
    503,
    { code: "The service is currently unavailable", error: "The model is at capacity. Please try again later." },
  ],
  [
    "DeepSeek, 503",
    openaiFormat,
    503,
    {
      error: {
        message: "Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.",
        type: "service_unavailable_error",
      },
    },
  ],
  [
    "Groq, 498",
    openaiFormat,
    498,
    { error: { message: "Flex tier capacity exceeded", type: "capacity", code: "flex_tier_capacity_exceeded" } },
  ],
  [
    "Groq, 413 for tokens a minute (continue#10218)",
    openaiFormat,
    413,
    {
      error: {
        message:
          "Request too large for model `llama-3.3-70b-versatile` in organization `org_01kgg5588eftc8k70aes4864eb` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again.",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    },
  ],
])("busy: %s", (_what, format, status, body) => {
  expect(refused(format, status, body)).toMatchObject({ kind: "unavailable", busy: true, overflow: undefined, told: undefined });
});

test.each<[what: string, format: WireFormat, status: number, body: object | string, kind: string]>([
  [
    "500",
    openaiFormat,
    500,
    { error: { message: "The server had an error while processing your request.", type: "server_error" } },
    "unavailable",
  ],
  ["502 of a proxy", anthropicFormat, 502, "<html>Bad Gateway</html>", "unavailable"],
  ["503 without a reason", openaiFormat, 503, { error: { message: "Service Unavailable" } }, "unavailable"],
  [
    "spent credit",
    openaiFormat,
    429,
    { error: { message: "You exceeded your current quota", type: "insufficient_quota", code: "insufficient_quota" } },
    "misconfigured",
  ],
])("not busy: %s", (_what, format, status, body, kind) => {
  expect(refused(format, status, body)).toMatchObject({ kind, busy: false });
});

test.each<[what: string, format: WireFormat, stream: string]>([
  ["Anthropic", anthropicFormat, 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'],
  ["OpenRouter", openaiFormat, 'data: {"error":{"code":429,"message":"Provider returned error"}}\n\n'],
  [
    "OpenAI, Responses",
    responsesFormat,
    'event: error\ndata: {"type":"error","code":"rate_limit_exceeded","message":"Rate limit reached","sequence_number":1}\n\n',
  ],
])("busy inside a stream: %s", async (_what, format, stream) => {
  const read = async () => {
    for await (const _event of format.readStream(inPieces(Buffer.from(stream)))) expect.unreachable();
  };
  const failure = await read().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(isProviderFailure(failure) && failure).toMatchObject({ kind: "unavailable", busy: true, accepted: true });
});

describe("a call", () => {
  const servers: ProviderServer[] = [];
  beforeEach(() => {
    replaceSingleton("config", readConfig({ PROVIDER_CONNECT_TIMEOUT_MS: "500" }));
    forgetSingleton("circuitBreakers");
  });
  afterEach(async () => {
    await closeProviderPools();
    for (const server of servers.splice(0)) await server.close();
    forgetSingleton("config");
  });

  const provider = async (behave: Behaviour): Promise<ProviderServer> => {
    const server = await startProvider(behave);
    servers.push(server);
    return server;
  };
  const answering =
    (status: number, retryAfter?: string): Behaviour =>
    (response) =>
      response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end("no");

  test("says busy where one of its routes was, with the shortest wait that is known", async () => {
    const urls = [
      (await provider(answering(429, "40"))).url,
      (await provider(answering(529, "9"))).url,
      (await provider(answering(500))).url,
    ];
    const { failure } = await readCall(callAt(urls, { limits: { PROVIDER_RETRIES: 0 } }));
    expect(failure).toMatchObject({ kind: "unavailable", busy: true, retryAfterMs: 9_000, httpStatus: 529 });
  });

  test("says busy while a circuit is open, also when another route fails by itself", async () => {
    const [first, second] = [await provider(answering(500)), await provider(answering(502))];
    for (let call = 0; call < 5; call += 1) await readCall(callAt([first.url], { limits: { PROVIDER_RETRIES: 0 } }));
    const { failure } = await readCall(callAt([first.url, second.url], { limits: { PROVIDER_RETRIES: 0 } }));
    expect(failure).toMatchObject({ kind: "unavailable", busy: true });
    expect(failure?.retryAfterMs).toBeLessThanOrEqual(1_000);
  });

  test("does not wait for a Retry-After above five seconds", async () => {
    const server = await provider(answering(429, "6"));
    const startedAt = performance.now();
    const { failure } = await readCall(callAt([server.url], { limits: { PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 60_000 } }));
    expect(failure).toMatchObject({ busy: true, retryAfterMs: 6_000 });
    expect(server.requests).toHaveLength(1);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  test("pauses for five seconds at most in all", () => {
    const failure = new ProviderFailure("unavailable", "busy", { busy: true, retryAfterMs: 2_000 });
    const plan = (pausedMs: number) => planRetry({ failure, attempt: 0, retries: 9, remainingMs: 60_000, pausedMs, random: 0 });
    expect([plan(0), plan(2_000), plan(3_000), plan(3_001)]).toEqual([2_000, 2_000, 2_000, null]);
  });
});
