// A server that calls itself compatible with OpenAI, behind the whole gateway: a test says what it answers, asks in a dialect, and reads what
// came.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect } from "vitest";
import { endpointAt, endpoints, setEndpoints } from "@/lib/providers/endpoints";
import { startProvider } from "@/lib/providers/testing/provider-server";
import type { TestAccount } from "./accounts";
import { type Answer, ask, QUESTION } from "./client";
import { openService } from "./service";

const HOST_KEY = "sk-host-0123456789-never-shown";

const prices = [
  { kind: "input", per1M: "1" },
  { kind: "output", per1M: "2" },
];
const modelAt = (id: string, provider: string) => ({
  id,
  routes: [{ provider, wireName: `${id}-wire`, providerCosts: prices }],
  contextWindow: 32_000,
  maxOutputTokens: 4_000,
  prices,
});

export const question = { role: "user", content: QUESTION };

type Ask = (account: Pick<TestAccount, "key">, fields?: object, headers?: Record<string, string>) => Promise<Answer>;

export interface CompatibleHost {
  /** What it answers next, in turn, a text as a stream; the last one again and again. */
  answers(...script: (object | string)[]): void;
  /** The body and the path of the last request to it. */
  lastSent(): { path: string; messages: Record<string, unknown>[] };
  /** Puts it in the place of a vendor, until the end of the test. */
  standInFor(provider: string): void;
  message: Ask;
  chat: Ask;
  respond: Ask;
  count: Ask;
}

/** Starts the service with the models `open-model` and `other-model` there, and `strict-model`, which wants `reasoning_content`. */
export async function openCompatibleHost(): Promise<CompatibleHost> {
  let script: (object | string)[] = [];
  const host = await startProvider((response, nth) => {
    const next = script.length > 1 ? script.shift() : script[0];
    const isStream = typeof next === "string";
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.end(isStream ? next : JSON.stringify({ id: `chatcmpl-${nth}`, ...next }));
  });
  const folder = mkdtempSync(join(tmpdir(), "compatible-host-"));
  const write = (name: string, content: object) => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const providers = [
    { id: "acme", baseUrl: `${host.url}/v1`, keyVariable: "ACME_API_KEY" },
    { id: "strict", baseUrl: `${host.url}/v1`, dialect: { reasoningContent: true } },
  ];
  const models = [modelAt("open-model", "acme"), modelAt("other-model", "acme"), modelAt("strict-model", "strict")];
  const service = await openService({
    env: {
      PROVIDERS_FILE: write("providers.json", { providers }),
      MODELS_FILE: write("models.json", { models }),
      ACME_API_KEY: HOST_KEY,
      SANDBOX_REAL_MODELS: "1",
    },
  });
  const own = endpoints();
  afterEach(() => {
    setEndpoints(own);
  });
  afterAll(async () => {
    await service.log.expectNoSecrets([HOST_KEY]);
    await host.close();
    rmSync(folder, { recursive: true });
  });
  const asking =
    (path: string, usual: object): Ask =>
    ({ key }, fields = {}, headers = {}) =>
      ask({ url: service.url("node"), key, path, headers, body: { model: "open-model", ...usual, ...fields } });
  return {
    answers: (...given) => {
      script = given;
    },
    lastSent: () => {
      const { path, body } = host.requests.at(-1) ?? expect.fail("it was not called");
      return { path, ...JSON.parse(body) };
    },
    standInFor: (provider) => {
      setEndpoints(new Map([...own, [provider, endpointAt(provider, host.url, HOST_KEY)]]));
    },
    message: asking("/api/v1/messages", { max_tokens: 400, messages: [question] }),
    chat: asking("/api/v1/chat/completions", { messages: [question] }),
    respond: asking("/api/v1/responses", { input: [question] }),
    count: asking("/api/v1/messages/count_tokens", { messages: [question] }),
  };
}

const usage = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 };

/** A whole chat completion. */
export const whole = (message: object, finish_reason: string | null = "stop", more: object = { usage }) => ({
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
  ...more,
});

export const event = (value: unknown): string => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;

export const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): string =>
  event({ id: "chatcmpl-s", choices: [{ index: 0, delta, finish_reason }], ...more });

/** A streamed chat completion. */
export const streamed = (deltas: object[], finish_reason = "stop"): string =>
  [...deltas.map((delta) => chunk(delta)), chunk({}, finish_reason, { usage }), event("[DONE]")].join("");

/** A tool of `/messages`. */
export const add = { name: "add", input_schema: { type: "object", properties: { left: { type: "number" } } } };

interface Block {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  id?: string;
  name?: string;
  input?: unknown;
}

interface Message {
  content: Block[];
  stop_reason: string | null;
  error?: { type: string; message: string };
}

/** A message, whole or put together from its events. */
export function readMessage({ text }: Answer): Message {
  if (text.startsWith("{")) return JSON.parse(text) as Message;
  const content: (Block & { json?: string })[] = [];
  const message: Omit<Message, "content"> = { stop_reason: null };
  for (const [, data = ""] of text.matchAll(/^data: (.*)$/gm)) {
    const { type, index, content_block, delta, error } = JSON.parse(data);
    if (type === "content_block_start") content[index] = { ...content_block };
    const block = content[index];
    if (type === "content_block_delta" && block) {
      if (delta.text) block.text += delta.text;
      if (delta.thinking) block.thinking += delta.thinking;
      if (delta.signature) block.signature += delta.signature;
      if (delta.partial_json) block.json = (block.json ?? "") + delta.partial_json;
    }
    if (type === "message_delta") message.stop_reason = delta.stop_reason;
    if (type === "error") message.error = error;
  }
  const blocks = content.map(({ json, ...block }) => (block.type === "tool_use" ? { ...block, input: JSON.parse(json ?? "{}") } : block));
  return { content: blocks, ...message };
}

/** A thinking block as it leaves us. */
export const thinking = (text: string) => ({ type: "thinking", thinking: text, signature: expect.stringMatching(/^pp1\./) });
export const said = (text: string) => ({ type: "text", text });
