import { afterAll, beforeAll, expect, test } from "vitest";
import type { VendorId } from "@/lib/providers/types";
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

async function ask(provider: VendorId, { key = models.apiKey, body, text, path }: Ask = {}) {
  const response = await fetch(models.baseUrls[provider] + (path ?? good[provider].path), {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", ...(key !== null && credentials(provider, key)) },
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

test("each vendor refuses a wrong key in its own way, and never echoes it completely", async () => {
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

test("models named at the start are served in addition to the vendor's own", async () => {
  expect(await ask("openai", { body: chat("llama-of-mine") })).toMatchObject({ status: 200, body: { model: "llama-of-mine" } });
});

test("a body that is not JSON is a 400 at every vendor", async () => {
  for (const provider of everyone) expect((await ask(provider, { text: '{"model": ' })).status).toBe(400);
});

test("wrong types, unknown fields and missing fields get the vendor's own messages", async () => {
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

const weather = { name: "weather", parameters: { type: "object", properties: {} } };
const calledWeather = (id: string) => ({ id, type: "function", function: { name: "weather", arguments: "{}" } });

test("OpenAI refuses tools and results out of order, and options that its models do not support", async () => {
  const user = { role: "user", content: "Hi" };
  const tools = [{ type: "function", function: weather }];
  const refusal = async (body: object, model = "gpt-4o") => {
    const { status, body: answer } = await ask("openai", { body: { model, messages: [user], ...body } });
    expect(status).toBe(400);
    return (answer as { error: object }).error;
  };
  const called = { role: "assistant", content: null, tool_calls: [calledWeather("call_1"), calledWeather("call_2")] };
  const result = { role: "tool", tool_call_id: "call_1", content: "sunny" };
  expect(await refusal({ tools, messages: [user, called, result, user] })).toMatchObject({
    message: expect.stringMatching(/must be followed by tool messages .* did not have response messages: call_2$/),
    param: "messages.[3].role",
  });
  expect(await refusal({ messages: [user, result] })).toMatchObject({
    message: expect.stringContaining("messages with role 'tool' must be a response"),
    param: "messages.[1].role",
  });
  expect(await refusal({ messages: [user, called, { ...result, tool_call_id: "call_9" }] })).toMatchObject({
    message: expect.stringContaining("'tool_call_id' of 'call_9' not found"),
  });
  expect(await refusal({ messages: [user, { role: "assistant", content: null }] })).toMatchObject({ param: "messages.[1].content" });
  expect(await refusal({ messages: [user, { role: "tool", content: "sunny" }] })).toMatchObject({ param: "messages[1].tool_call_id" });
  expect(await refusal({ tools: [] })).toMatchObject({ param: "tools" });
  expect(await refusal({ tools: [{ type: "function", function: { ...weather, schema: {} } }] })).toMatchObject({
    message: "Unknown parameter: 'tools[0].function.schema'.",
  });
  expect(await refusal({ tools: [{ type: "function", function: { name: "a b" } }] })).toMatchObject({ param: "tools[0].function.name" });
  expect(await refusal({ tool_choice: "auto" })).toMatchObject({ param: "tool_choice" });
  expect(await refusal({ parallel_tool_calls: true })).toMatchObject({ param: "parallel_tool_calls" });
  expect(await refusal({ tools, tool_choice: { type: "function", function: { name: "other" } } })).toMatchObject({ param: "tool_choice" });
  expect(await refusal({ response_format: { type: "json_object" } })).toMatchObject({
    message: expect.stringContaining("the word 'json'"),
  });
  expect(await refusal({ stop: ["a", "b", "c", "d", "e"] })).toMatchObject({ param: "stop" });
  expect(await refusal({ stop: "a" }, "gpt-5")).toMatchObject({ param: "stop", code: "unsupported_parameter" });
  expect(await refusal({ tools, parallel_tool_calls: false }, "o3")).toMatchObject({ param: "parallel_tool_calls" });
});

test("xAI and DeepSeek refuse options that their reasoning models do not support", async () => {
  const tools = [{ type: "function", function: weather }];
  expect(await ask("xai", { body: { ...good.xai.body, stop: ["a"] } })).toMatchObject({
    status: 400,
    body: { error: "Argument not supported on this model: stop" },
  });
  const deepseek = (body: object) => ask("deepseek", { body: { ...chat("deepseek-reasoner"), ...body } });
  const complaint = (message: string) => ({ status: 400, body: { error: { message } } });
  const format = { type: "json_schema", json_schema: { name: "a", schema: {} } };
  expect(await deepseek({ response_format: format })).toMatchObject(complaint("This response_format type is unavailable now"));
  expect(await deepseek({ tools, tool_choice: "required" })).toMatchObject(complaint("Thinking mode does not support this tool_choice"));
  expect((await deepseek({ tools, tool_choice: "required", thinking: { type: "disabled" } })).status).toBe(200);
});

test("Anthropic refuses tools and results out of order, and options that its models do not support", async () => {
  const user = { role: "user", content: "Hi" };
  const tools = [{ name: "weather", input_schema: { type: "object" } }];
  const message = async (body: object) => {
    const { status, body: answer } = await ask("anthropic", { body: { ...good.anthropic.body, ...body } });
    expect(status).toBe(400);
    return (answer as { error: { message: string } }).error.message;
  };
  const called = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: {} }] };
  const result = { type: "tool_result", tool_use_id: "toolu_1", content: "sunny" };
  const text = { type: "text", text: "And?" };
  const unanswered = /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1\./;
  expect(await message({ tools, messages: [user, called] })).toMatch(unanswered);
  expect(await message({ tools, messages: [user, called, user] })).toMatch(unanswered);
  expect(await message({ tools, messages: [user, called, { role: "user", content: [text, result] }] })).toMatch(unanswered);
  expect(await message({ tools, messages: [{ role: "user", content: [result] }] })).toMatch(
    /^messages\.0\.content\.0: unexpected `tool_use_id`/,
  );
  expect(await message({ messages: [{ ...called, role: "user" }] })).toContain("can only be in `assistant` messages");
  expect(await message({ messages: [{ role: "user", content: [{ type: "text", text: " " }] }] })).toContain("non-whitespace");
  expect(await message({ tools: [{ name: "a b", input_schema: { type: "object" } }] })).toContain("tools.0.name");
  expect(await message({ tools: [{ name: "a", input_schema: {} }] })).toBe("tools.0.input_schema.type: Field required");
  expect(await message({ tools: [{ ...tools[0], parameters: {} }] })).toBe("tools.0.parameters: Extra inputs are not permitted");
  expect(await message({ tools: [...tools, ...tools] })).toBe("tools: Tool names must be unique.");
  expect(await message({ tool_choice: { type: "auto" } })).toContain("only be specified while providing tools");
  expect(await message({ tools, tool_choice: { type: "tool", name: "other" } })).toContain("'other' not found");
  expect(await message({ tools, tool_choice: { type: "none", disable_parallel_tool_use: true } })).toContain("Extra inputs");
  expect(await message({ stop_sequences: ["\n"] })).toContain("non-whitespace");
  expect(await message({ temperature: 1, top_p: 1 })).toContain("cannot both be specified");
  expect(await message({ model: "claude-opus-4-7", temperature: 1 })).toContain("deprecated");
  const schema = { type: "object", properties: { a: { type: "object" } }, additionalProperties: false };
  expect(await message({ output_config: { format: { type: "json_schema", schema } } })).toContain("'additionalProperties'");
});

test("Gemini refuses calls and responses out of order, and schema keywords it does not support", async () => {
  const user = { role: "user", parts: [{ text: "Hi" }] };
  const functionCall = { name: "weather", args: {} };
  const called = { role: "model", parts: [{ functionCall }] };
  const response = { functionResponse: { name: "weather", response: { output: "sunny" } } };
  const tools = [{ functionDeclarations: [{ name: "weather" }] }];
  const message = async (body: object, path?: string) => {
    const { status, body: answer } = await ask("gemini", { body: { contents: [user], ...body }, path });
    expect(status).toBe(400);
    return (answer as { error: { message: string } }).error.message;
  };
  expect(await message({ contents: [user, called, user] })).toContain("number of function response parts");
  expect(await message({ contents: [user, called, { role: "user", parts: [response, response] }] })).toContain(
    "number of function response parts",
  );
  expect(await message({ contents: [user, { role: "user", parts: [response] }] })).toContain(
    "function response turn comes immediately after",
  );
  expect(await message({ contents: [called, { role: "user", parts: [response] }] })).toContain(
    "function call turn comes immediately after",
  );
  expect(await message({ contents: [{ role: "user", parts: [{ thought: true }] }] })).toContain("required oneof field 'data'");
  expect(
    await message({ contents: [user, called, { role: "user", parts: [response] }] }, "/v1beta/models/gemini-3-pro:generateContent"),
  ).toContain("missing a thought_signature");
  expect(
    await message({ tools: [{ functionDeclarations: [{ name: "a", parameters: { type: "OBJECT", additionalProperties: false } }] }] }),
  ).toBe(
    `Invalid JSON payload received. Unknown name "additionalProperties" at 'tools[0].function_declarations[0].parameters': Cannot find field.`,
  );
  expect(await message({ toolConfig: { functionCallingConfig: { mode: "ANY" } } })).toContain("without function_declarations");
  const allowed = { mode: "ANY", allowedFunctionNames: ["other"] };
  expect(await message({ tools, toolConfig: { functionCallingConfig: allowed } })).toContain("other");
  expect(await message({ tools, generationConfig: { responseMimeType: "application/json" } })).toContain("is unsupported");
  expect(await message({ generationConfig: { responseJsonSchema: {} } })).toContain("response_mime_type");
  expect(await message({ generationConfig: { seed: 2 ** 40 } })).toContain("seed");
});

test("an unknown path is a 404", async () => {
  for (const provider of everyone) expect((await ask(provider, { path: "/v9/nothing" })).status).toBe(404);
});

test("the control endpoint requires the key", async () => {
  expect((await fetch(`${models.controlUrl}/calls`)).status).toBe(401);
});
