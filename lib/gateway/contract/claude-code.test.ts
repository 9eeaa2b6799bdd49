// Requests as Claude Code sends them, plain, streamed, with its tools and a second turn, to a model of Anthropic's and to one of another
// provider. Headers and bodies follow recordings in public repositories: version 0.2 (RavenStorm-bit/claude-code-api-logger, 2025-05), 2.1
// (chief-builder/claude-code-analytics, 2026-01), and the fields that issues of anthropics/claude-code name since then (#21612
// context_management, #31033 defer_loading). Texts are our own.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { listModels } from "@/lib/providers/catalogue";
import { openAccount, type TestAccount } from "./testing/accounts";
import { chargesOf, expectPaid } from "./testing/books";
import { ask } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();

const headers = {
  accept: "application/json",
  "anthropic-beta":
    "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,prompt-caching-scope-2026-01-05,effort-2025-11-24",
  "anthropic-dangerous-direct-browser-access": "true",
  "anthropic-version": "2023-06-01",
  "user-agent": "claude-cli/2.1.197 (external, cli)",
  "x-app": "cli",
  "x-claude-code-session-id": "1f0c8e3a-6f5b-4d0e-9a75-0d8f2a6f1c11",
  "x-stainless-arch": "x64",
  "x-stainless-helper-method": "stream",
  "x-stainless-lang": "js",
  "x-stainless-os": "Linux",
  "x-stainless-package-version": "0.70.0",
  "x-stainless-retry-count": "0",
  "x-stainless-runtime": "node",
  "x-stainless-runtime-version": "v24.3.0",
  "x-stainless-timeout": "600",
};

const mark = { cache_control: { type: "ephemeral" } };
const metadata = { user_id: '{"device_id":"d0","account_uuid":"","session_id":"1f0c8e3a-6f5b-4d0e-9a75-0d8f2a6f1c11"}' };
const system = [
  { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.197.a1; cc_entrypoint=cli; cch=00000;" },
  { type: "text", text: "You are a coding agent in a terminal.", cache_control: { type: "ephemeral", ttl: "1h", scope: "global" } },
  { type: "text", text: "# Environment\nWorking directory: /project", ...mark },
];

const readTool = {
  name: "Read",
  description: "Reads a file from the local filesystem.",
  input_schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { file_path: { type: "string", description: "The absolute path" }, offset: { type: "number" }, limit: { type: "number" } },
    required: ["file_path"],
    additionalProperties: false,
  },
  eager_input_streaming: true,
};
const bashTool = {
  name: "Bash",
  description: "Executes a command.",
  input_schema: { type: "object", properties: { command: { type: "string" }, timeout: { type: "number" } }, required: ["command"] },
  defer_loading: true,
};
const webSearch = { type: "web_search_20250305", name: "web_search", max_uses: 8 };

const question = {
  role: "user",
  content: [
    { type: "text", text: "<system-reminder>\nThe task list is empty.\n</system-reminder>" },
    { type: "text", text: "What is in the readme? [[simulate: tool=Read reasoning=20]]", ...mark },
  ],
};

const mainRequest = (model: string, messages: readonly unknown[]) => ({
  model,
  messages,
  system,
  tools: [readTool, bashTool, webSearch],
  metadata,
  max_tokens: 32_000,
  thinking: { type: "adaptive", display: "summarized" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  output_config: { effort: "medium" },
  speed: "standard",
  stream: true,
});

type Block = Record<string, unknown> & { type: string };

/** A message as Claude Code assembles it from the events. */
function readStream(text: string): { content: Block[]; stopReason: unknown; usage: Record<string, number> } {
  const content: (Block & { json?: string })[] = [];
  let stopReason: unknown;
  let usage: Record<string, number> = {};
  for (const [, type, data = ""] of text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)) {
    const event = JSON.parse(data);
    if (type === "content_block_start") content[event.index] = { ...event.content_block, json: "" };
    if (type === "content_block_delta") {
      const block = content[event.index];
      if (!block) throw new Error("a delta came before its block");
      const { text: said, thinking, signature, partial_json: json } = event.delta;
      if (said !== undefined) block.text = String(block.text) + said;
      if (thinking !== undefined) block.thinking = String(block.thinking) + thinking;
      if (signature !== undefined) block.signature = signature;
      if (json !== undefined) block.json += json;
    }
    if (type === "message_start") usage = event.message.usage;
    if (type === "message_delta") [stopReason, usage] = [event.delta.stop_reason, { ...usage, ...event.usage }];
  }
  return { content: content.map(({ json, ...block }) => (json ? { ...block, input: JSON.parse(json) } : block)), stopReason, usage };
}

const textOf = (content: readonly Block[]): string => content.map(({ text = "" }) => text).join("");

describe.each(entryNames)("Claude Code through the %s server", (entry) => {
  const send = async ({ key }: Pick<TestAccount, "key">, body: object) => {
    const answer = await ask({ url: service.url(entry), key, path: "/api/v1/messages?beta=true", headers, body });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    return answer;
  };

  test.each(["claude-sonnet-5-5", "claude-haiku-4-5", "gpt-4o-mini"])("%s: a question, its tool, and the turn after it", async (model) => {
    const account = await openAccount({ usd: "50" });
    const first = await send(account, mainRequest(model, [question]));
    expect(first.headers.get("x-dropped-tools")).toBe("web_search");
    const turn = readStream(first.text);
    expect(turn.stopReason).toBe("tool_use");
    const call = turn.content.at(-1);
    expect(call).toMatchObject({ type: "tool_use", name: "Read", input: { file_path: expect.any(String) } });
    expect(turn.usage.output_tokens).toBeGreaterThan(0);
    expect(turn.usage.input_tokens).toBeGreaterThan(0);

    const result = { type: "tool_result", tool_use_id: call?.id, content: "1\t# A readme\n2\tIt says hello.", is_error: false, ...mark };
    const messages = [
      { ...question, content: question.content.map(({ type, text }) => ({ type, text })) },
      { role: "assistant", content: turn.content },
      { role: "user", content: [result, { type: "text", text: "<system-reminder>Be brief.</system-reminder>" }] },
    ];
    const second = readStream((await send(account, mainRequest(model, messages))).text);
    expect(second.stopReason).toBe("end_turn");
    expect(textOf(second.content)).toMatch(/^Simulated answer/);
    expect(await chargesOf(account.accountId)).toHaveLength(2);
    await expectPaid(account);
  });

  test("small requests beside it: a probe of one token, a title, a prefilled answer", async () => {
    const account = await openAccount();
    const base = { model: "claude-haiku-4-5", metadata };
    const probe = await send(account, { ...base, max_tokens: 1, messages: [{ role: "user", content: "quota" }] });
    expect(JSON.parse(probe.text)).toMatchObject({ stop_reason: "max_tokens" });
    const title = {
      ...base,
      max_tokens: 512,
      temperature: 0,
      system: [{ type: "text", text: "Summarize this conversation in under 50 characters.", ...mark }],
      messages: [{ role: "user", content: "Write a title." }],
      stream: true,
    };
    expect(readStream((await send(account, title)).text).stopReason).toBe("end_turn");
    const prefilled = {
      ...base,
      max_tokens: 32_000,
      tools: [],
      messages: [question, { role: "assistant", content: [{ type: "text", text: "{" }] }],
    };
    expect((await send(account, prefilled)).status).toBe(200);
    await expectPaid(account);
  });

  test("its count of tokens, and its list of models", async () => {
    const { key } = await openAccount();
    const { max_tokens: _, stream: _s, metadata: _m, ...input } = mainRequest("claude-sonnet-5-5", [question]);
    const path = "/api/v1/messages/count_tokens?beta=true";
    const count = await ask({ url: service.url(entry), key, path, headers, body: input });
    expect(JSON.parse(count.text)).toEqual({ input_tokens: expect.any(Number) });
    const models = await ask({ url: service.url(entry), key, path: "/api/v1/models?limit=1000", method: "GET", headers });
    const list = JSON.parse(models.text) as { data: { id: string; type: string }[]; has_more: boolean };
    expect(list.has_more).toBe(false);
    expect(list.data).toContainEqual(expect.objectContaining({ id: "claude-sonnet-5-5", type: "model", display_name: expect.any(String) }));
  });
});

/**
 * CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY, as the package @anthropic-ai/claude-code 2.1.332 asks and reads: one GET of
 * `${ANTHROPIC_BASE_URL}/v1/models?limit=1000` that may not redirect and has 3 seconds, with the key as Bearer, or as Bearer and x-api-key where
 * apiKeyHelper gives it. It keeps `id`, `display_name` and `description` of each entry, refuses the whole list for one of another type, and takes
 * the ids with "claude" or "anthropic" in them; "From gateway" stands for a description that is missing.
 */
describe("Claude Code's model discovery", () => {
  const discovered = z.object({
    data: z.array(z.object({ id: z.string(), display_name: z.string().optional(), description: z.string().nullish() }).strip()),
  });
  const recorded = {
    accept: "*/*",
    "accept-encoding": "gzip, deflate, br, zstd",
    "anthropic-version": "2023-06-01",
    "user-agent": "claude-code/2.1.332",
  };
  const discover = async (headers: Record<string, string>) => {
    const response = await fetch(`${service.url("node")}/api/v1/models?limit=1000`, {
      headers: { ...recorded, ...headers },
      redirect: "error",
      signal: AbortSignal.timeout(3_000),
    });
    expect(response.status).toBe(200);
    return discovered.parse(await response.json()).data.filter(({ id }) => /(claude|anthropic)/i.test(id));
  };

  test.each(["ANTHROPIC_AUTH_TOKEN", "apiKeyHelper", "ANTHROPIC_API_KEY"])(
    "with %s it finds every Claude, and each that it finds answers",
    async (from) => {
      const account = await openAccount();
      const { key } = account;
      const bearer = { authorization: `Bearer ${key}` };
      const all = { ANTHROPIC_AUTH_TOKEN: bearer, apiKeyHelper: { ...bearer, "x-api-key": key }, ANTHROPIC_API_KEY: { "x-api-key": key } };
      const found = await discover(all[from as keyof typeof all]);
      const claudes = listModels().filter(({ routes }) => routes.some(({ provider }) => provider === "anthropic"));
      expect(found.map(({ id }) => id)).toEqual(claudes.map(({ id }) => id));
      expect(found.length).toBeGreaterThan(5);
      for (const { display_name, description } of found) {
        expect(display_name).toMatch(/^[\w.-]{1,80}$/);
        expect(description).toMatch(/^[^\n]{5,}$/);
      }
      const messages = [{ role: "user", content: "Hi" }];
      for (const { id } of found) {
        const body = { model: id, max_tokens: 64, messages };
        const answer = await ask({ url: service.url("node"), key, path: "/api/v1/messages?beta=true", headers, body });
        expect(answer.status, id).toBe(200);
      }
      await expectPaid(account);
    },
  );
});
