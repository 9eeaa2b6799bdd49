import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProviderId } from "@/lib/providers/types";
import { startTestModels, type TestModels } from "./testing";

let models: TestModels;
beforeAll(async () => {
  models = await startTestModels({ extraModels: ["llama-of-mine"] });
});
afterAll(() => models?.stop());

interface Ask {
  key?: string | null;
  body?: unknown;
  text?: string;
  path?: string;
}

const chat = (model: string) => ({ model, messages: [{ role: "user", content: "Hi" }] });
const good: Record<ProviderId, { path: string; body: object }> = {
  openai: { path: "/chat/completions", body: chat("gpt-4-turbo") },
  xai: { path: "/chat/completions", body: chat("grok-4-fast") },
  deepseek: { path: "/chat/completions", body: chat("deepseek-chat") },
  anthropic: { path: "/v1/messages", body: { ...chat("claude-sonnet-4-5"), max_tokens: 100 } },
  gemini: { path: "/v1beta/models/gemini-2.5-flash:generateContent", body: { contents: [{ parts: [{ text: "Hi" }] }] } },
};

function credentials(provider: ProviderId, key: string): Record<string, string> {
  if (provider === "anthropic") return { "x-api-key": key };
  if (provider === "gemini") return { "x-goog-api-key": key };
  return { authorization: `Bearer ${key}` };
}

async function ask(provider: ProviderId, { key = models.apiKey, body, text, path }: Ask = {}) {
  const response = await fetch(models.baseUrls[provider] + (path ?? good[provider].path), {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", ...(key !== null && credentials(provider, key)) },
    body: text ?? JSON.stringify(body ?? good[provider].body),
  });
  const answer = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") && answer.startsWith("{");
  return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(answer) as unknown) : answer };
}

const everyone = Object.keys(good) as ProviderId[];

test.each(everyone)("%s answers a good request", async (provider) => {
  expect((await ask(provider)).status).toBe(200);
});

test("a missing key is refused as each vendor refuses it", async () => {
  expect(await ask("openai", { key: null })).toMatchObject({ status: 401, body: { error: { type: "invalid_request_error", code: null } } });
  expect(await ask("xai", { key: null })).toMatchObject({ status: 401, body: { code: expect.any(String), error: expect.any(String) } });
  expect(await ask("deepseek", { key: null })).toMatchObject({ status: 401, body: { error: { type: "authentication_error" } } });
  expect(await ask("anthropic", { key: null })).toMatchObject({
    status: 401,
    body: { type: "error", error: { type: "authentication_error", message: "x-api-key header is required" } },
  });
  expect(await ask("gemini", { key: null })).toMatchObject({ status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED" } } });
});

test("a wrong key is refused as each vendor refuses it, and never written back whole", async () => {
  const key = "sk-wrong-key-of-somebody";
  const answers = await Promise.all(everyone.map((provider) => ask(provider, { key })));
  expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(key);
  expect(await ask("openai", { key })).toMatchObject({ status: 401, body: { error: { code: "invalid_api_key" } } });
  expect(await ask("xai", { key })).toMatchObject({
    status: 400,
    body: { code: "Client specified an invalid argument", error: expect.stringMatching(/^Incorrect API key provided: sk\*\*\*dy/) },
  });
  expect(await ask("deepseek", { key })).toMatchObject({
    status: 401,
    body: { error: { message: "Authentication Fails, Your api key: ****body is invalid" } },
  });
  expect(await ask("anthropic", { key })).toMatchObject({
    status: 401,
    body: { error: { message: "invalid x-api-key" }, request_id: expect.stringMatching(/^req_/) },
  });
  expect(await ask("gemini", { key })).toMatchObject({
    status: 400,
    body: { error: { status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }, {}] } },
  });
});

test("a model that the vendor does not have is refused as each vendor refuses it", async () => {
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

test("a model named at the start is served beside the vendor's own", async () => {
  expect(await ask("openai", { body: chat("llama-of-mine") })).toMatchObject({ status: 200, body: { model: "llama-of-mine" } });
});

test("a body that is no JSON is a 400 everywhere", async () => {
  for (const provider of everyone) expect((await ask(provider, { text: '{"model": ' })).status).toBe(400);
});

test("wrong types, unknown fields and missing fields are refused in the vendor's own words", async () => {
  const openai = (body: object) => ask("openai", { body: { ...good.openai.body, ...body } });
  expect(await openai({ messages: [{ role: "user", content: 5 }] })).toMatchObject({
    status: 400,
    body: { error: { param: "messages[0].content", code: "invalid_type" } },
  });
  expect(await openai({ messages: [{ role: "user", content: [{ type: "text", text: 5 }] }] })).toMatchObject({
    status: 400,
    body: { error: { param: "messages[0].content[0].text" } },
  });
  expect(await openai({ messages: undefined })).toMatchObject({
    status: 400,
    body: { error: { message: "Missing required parameter: 'messages'." } },
  });
  expect(await openai({ maxTokens: 5 })).toMatchObject({
    status: 400,
    body: { error: { message: "Unknown parameter: 'maxTokens'.", code: "unknown_parameter" } },
  });
  expect(await openai({ max_tokens: 0 })).toMatchObject({ status: 400, body: { error: { param: "max_tokens" } } });
  expect(await openai({ model: "o3", max_tokens: 5 })).toMatchObject({ status: 400, body: { error: { code: "unsupported_parameter" } } });
  expect(await openai({ model: "gpt-5", temperature: 0.2 })).toMatchObject({ status: 400, body: { error: { code: "unsupported_value" } } });

  const anthropic = (body: object) => ask("anthropic", { body: { ...good.anthropic.body, ...body } });
  const complaint = (message: string) => ({ status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } });
  expect(await anthropic({ max_tokens: undefined })).toMatchObject(complaint("max_tokens: Field required"));
  expect(await anthropic({ foo: 1 })).toMatchObject(complaint("foo: Extra inputs are not permitted"));
  expect(await anthropic({ messages: [] })).toMatchObject(complaint("messages: at least one message is required"));
  expect(await anthropic({ temperature: 1.5 })).toMatchObject(complaint("temperature: at most 1"));
  expect((await anthropic({ messages: [{ role: "system", content: "x" }] })).status).toBe(400);

  expect(await ask("gemini", { body: { ...good.gemini.body, generationConfig: { maxTokens: 3 } } })).toMatchObject({
    status: 400,
    body: {
      error: {
        status: "INVALID_ARGUMENT",
        message: `Invalid JSON payload received. Unknown name "maxTokens" at 'generation_config': Cannot find field.`,
      },
    },
  });
  expect((await ask("gemini", { body: { contents: [{ role: "system", parts: [{ text: "x" }] }] } })).status).toBe(400);
  expect((await ask("gemini", { body: {} })).status).toBe(400);

  expect(await ask("xai", { body: { ...good.xai.body, stream: "yes" } })).toMatchObject({
    status: 422,
    body: expect.stringContaining("stream: invalid type: string, expected boolean"),
  });
  expect(await ask("deepseek", { body: { model: "deepseek-chat", messages: [{ role: "user" }] } })).toMatchObject({
    status: 400,
    body: { error: { message: "Failed to deserialize the JSON body into the target type: messages[0]: missing field `content`" } },
  });
  expect((await ask("xai", { body: { ...good.xai.body, of_no_meaning: 1 } })).status).toBe(200);
});

test("a path that the vendor does not have is a 404", async () => {
  for (const provider of everyone) expect((await ask(provider, { path: "/v9/nothing" })).status).toBe(404);
});

test("the control endpoint is closed to whoever has no key", async () => {
  expect((await fetch(`${models.controlUrl}/calls`)).status).toBe(401);
});
