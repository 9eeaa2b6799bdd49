import { afterAll, beforeAll, expect, test } from "vitest";
import type { VendorId } from "@/lib/providers/model-route";
import { startTestModels, type TestModels } from "./testing";

let models: TestModels;
beforeAll(async () => {
  models = await startTestModels();
});
afterAll(() => models?.stop());

interface Ask {
  key?: string | null;
  body?: unknown;
  text?: string;
  path?: string;
  /** Anthropic's. */
  version?: string | undefined;
}

const chat = (model: string) => ({ model, messages: [{ role: "user", content: "Hi" }] });
const good: Record<VendorId, { path: string; body: object }> = {
  openai: { path: "/chat/completions", body: chat("gpt-4-turbo") },
  xai: { path: "/chat/completions", body: chat("grok-4-fast") },
  deepseek: { path: "/chat/completions", body: chat("deepseek-chat") },
  anthropic: { path: "/v1/messages", body: { ...chat("claude-sonnet-4-5"), max_tokens: 100 } },
  gemini: { path: "/v1beta/models/gemini-2.5-flash:generateContent", body: { contents: [{ parts: [{ text: "Hi" }] }] } },
};

function credentials(provider: VendorId, key: string): Record<string, string> {
  if (provider === "anthropic") return { "x-api-key": key };
  if (provider === "gemini") return { "x-goog-api-key": key };
  return { authorization: `Bearer ${key}` };
}

async function ask(provider: VendorId, ask: Ask = {}) {
  const { key = models.apiKey, body, text, path, version } = { version: "2023-06-01", ...ask };
  const response = await fetch(models.baseUrls[provider] + (path ?? good[provider].path), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(version && { "anthropic-version": version }),
      ...(key !== null && credentials(provider, key)),
    },
    body: text ?? JSON.stringify(body ?? good[provider].body),
  });
  const answer = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") && answer.startsWith("{");
  return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(answer) as unknown) : answer };
}

const everyone = Object.keys(good) as VendorId[];

test.each(everyone)("%s answers a valid request", async (provider) => {
  expect((await ask(provider)).status).toBe(200);
});

test("each vendor refuses a missing key in its own way", async () => {
  expect(await ask("openai", { key: null })).toMatchObject({ status: 401, body: { error: { type: "invalid_request_error", code: null } } });
  expect(await ask("xai", { key: null })).toMatchObject({ status: 401, body: { code: expect.any(String), error: expect.any(String) } });
  expect(await ask("deepseek", { key: null })).toMatchObject({ status: 401, body: { error: { type: "authentication_error" } } });
  expect(await ask("anthropic", { key: null })).toMatchObject({
    status: 401,
    body: { type: "error", error: { type: "authentication_error", message: "x-api-key header is required" } },
  });
  expect(await ask("gemini", { key: null })).toMatchObject({ status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED" } } });
});

test("each vendor refuses a wrong key in its own way, and never echoes it", async () => {
  const key = "sk-wrong-key-of-somebody";
  const answers = await Promise.all(everyone.map((provider) => ask(provider, { key })));
  expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(key);
  expect(await ask("openai", { key })).toMatchObject({ status: 401, body: { error: { code: "invalid_api_key" } } });
  expect(await ask("xai", { key })).toMatchObject({
    status: 400,
    body: { code: "Client specified an invalid argument", error: "Incorrect API key provided." },
  });
  expect(await ask("deepseek", { key })).toMatchObject({ status: 401, body: { error: { type: "authentication_error" } } });
  expect(await ask("anthropic", { key })).toMatchObject({
    status: 401,
    body: { error: { message: "invalid x-api-key" }, request_id: expect.stringMatching(/^req_/) },
  });
  expect(await ask("gemini", { key })).toMatchObject({
    status: 400,
    body: { error: { status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] } },
  });
});

test("each vendor refuses an unknown model in its own way", async () => {
  expect(await ask("openai", { body: chat("claude-sonnet-4-5") })).toMatchObject({
    status: 404,
    body: { error: { code: "model_not_found" } },
  });
  expect(await ask("xai", { body: chat("gpt-4") })).toMatchObject({ status: 404, body: { code: "Some requested entity was not found" } });
  expect(await ask("deepseek", { body: chat("gpt-4") })).toMatchObject({ status: 400, body: { error: { message: "Model Not Exist" } } });
  expect(await ask("anthropic", { body: { ...chat("gpt-4"), max_tokens: 5 } })).toMatchObject({
    status: 404,
    body: { error: { type: "not_found_error", message: "model: gpt-4" } },
  });
  expect(await ask("gemini", { path: "/v1beta/models/gpt-4:generateContent" })).toMatchObject({
    status: 404,
    body: { error: { status: "NOT_FOUND" } },
  });
});

test("a body that is not JSON, or has another form, is a 400 at every vendor", async () => {
  for (const provider of everyone) {
    for (const text of ['{"model": ', "{}", '{"model": "m", "messages": 5, "contents": 5}', "null"]) {
      expect((await ask(provider, { text })).status, `${provider} ${text}`).toBe(400);
    }
  }
});

test("Anthropic needs an output limit and its version header", async () => {
  const complaint = (message: string) => ({ status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } });
  expect(await ask("anthropic", { body: chat("claude-sonnet-4-5") })).toMatchObject(complaint("max_tokens: Field required"));
  const unversioned = await ask("anthropic", { version: undefined });
  expect(unversioned).toMatchObject(complaint("anthropic-version: header is required"));
});

const user = { role: "user", content: "Hi" };
const chatCall = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "weather", arguments: "{}" } })),
});
const chatResult = (id: string) => ({ role: "tool", tool_call_id: id, content: "sunny" });
const toolUses = (...ids: string[]) => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "weather", input: {} })),
});
const toolResults = (...ids: string[]) => ({
  role: "user",
  content: [...ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "sunny" })), { type: "text", text: "And?" }],
});
const part = { functionCall: { name: "weather", args: {} } };
const response = { functionResponse: { name: "weather", response: { output: "sunny" } } };
const said = { role: "user", parts: [{ text: "Hi" }] };
const called = (...parts: object[]) => ({ role: "model", parts });
const responded = (...parts: object[]) => ({ role: "user", parts });

test.each<[string, VendorId, object, number]>([
  ["an answered call", "openai", { messages: [user, chatCall("a", "b"), chatResult("b"), chatResult("a"), user] }, 200],
  ["a call without its result", "openai", { messages: [user, chatCall("a", "b"), chatResult("a"), user] }, 400],
  ["a call at the end", "deepseek", { messages: [user, chatCall("a")] }, 400],
  ["a result without its call", "xai", { messages: [user, chatResult("a")] }, 400],
  ["a result of another call", "openai", { messages: [user, chatCall("a"), chatResult("b")] }, 400],
  ["an answered call", "anthropic", { messages: [user, toolUses("a", "b"), toolResults("a", "b")] }, 200],
  ["a call without its result", "anthropic", { messages: [user, toolUses("a", "b"), toolResults("a")] }, 400],
  ["a result after another message", "anthropic", { messages: [user, toolUses("a"), user, toolResults("a")] }, 400],
  ["a result without its call", "anthropic", { messages: [toolResults("a")] }, 400],
  ["answered calls", "gemini", { contents: [said, called(part, part), responded(response, response)] }, 200],
  ["fewer responses than calls", "gemini", { contents: [said, called(part, part), responded(response)] }, 400],
  ["a response without its call", "gemini", { contents: [said, responded(response)] }, 400],
])("%s at %s", async (_what, provider, body, status) => {
  const given = { ...good[provider].body, ...body };
  expect(await ask(provider, { body: given })).toMatchObject({ status });
});

test("Gemini 3 wants its signature back with the first call of the current turn", async () => {
  const path = "/v1beta/models/gemini-3-pro:generateContent";
  const turn = (signed: object) => ({ contents: [said, called({ ...part, ...signed }, part), responded(response, response)] });
  expect(await ask("gemini", { path, body: turn({ thoughtSignature: "c2lnbmVk" }) })).toMatchObject({ status: 200 });
  expect(await ask("gemini", { path, body: turn({}) })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining("missing a thought_signature") } },
  });
});

test("Anthropic takes a thought back from the model that wrote it, unchanged, and from no other", async () => {
  const first = await ask("anthropic", {
    body: { ...good.anthropic.body, messages: [{ role: "user", content: "[[simulate: reasoning=9]]" }] },
  });
  const [thought, ...rest] = (first.body as { content: { type: string; thinking?: string }[] }).content;
  expect(thought).toMatchObject({ type: "thinking", signature: expect.any(String) });
  const again = (block: object, model = "claude-sonnet-4-5") =>
    ask("anthropic", { body: { model, max_tokens: 100, messages: [user, { role: "assistant", content: [block, ...rest] }, user] } });
  expect(await again(thought ?? {})).toMatchObject({ status: 200 });
  const forged = { status: 400, body: { error: { message: "messages.1.content.0: Invalid `signature` in `thinking` block" } } };
  expect(await again({ ...thought, thinking: `${thought?.thinking}!` })).toMatchObject(forged);
  expect(await again(thought ?? {}, "claude-opus-4-5")).toMatchObject(forged);
});

test("a prompt beyond the model's window is refused in the vendor's words", async () => {
  const long = "word ".repeat(220_000);
  const refusal = async (provider: VendorId, model: string) => {
    const { status, body } = await ask(provider, { body: { ...good[provider].body, model, messages: [{ role: "user", content: long }] } });
    return [status, JSON.stringify(body)];
  };
  expect(await refusal("openai", "gpt-4o")).toEqual([400, expect.stringContaining('"code":"context_length_exceeded"')]);
  expect(await refusal("anthropic", "claude-sonnet-4-5")).toEqual([
    400,
    expect.stringContaining("prompt is too long: 220005 tokens > 200000"),
  ]);
  expect((await refusal("anthropic", "claude-opus-5"))[0]).toBe(200);
});

test("an unknown path is a 404", async () => {
  for (const provider of everyone) expect((await ask(provider, { path: "/v9/nothing" })).status).toBe(404);
});

test("the control endpoint requires the key", async () => {
  expect((await fetch(`${models.controlUrl}/calls`)).status).toBe(401);
});
