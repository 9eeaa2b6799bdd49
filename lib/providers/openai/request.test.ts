import { expect, test } from "vitest";
import type { ToolCall } from "../conversation/messages";
import type { ProviderId } from "../model-route";
import { openaiFormat } from "../openai";
import type { ModelCall } from "../types";

const lisbon = '{"city":"Lisbon"}';
const weather = (id: string, text: string): ToolCall => ({ id, name: "get_weather", arguments: text });

const call: ModelCall = {
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hi" },
  ],
  maxOutputTokens: 64,
  temperature: 0.5,
  stream: false,
};
const citySchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tooled: Partial<ModelCall> = {
  tools: [{ name: "get_weather", description: "Weather now", parameters: citySchema, strict: true }, { name: "get_time" }],
  toolChoice: "auto",
};
const jsonSchema = { type: "json_schema", name: "city", description: "A city", schema: citySchema, strict: true } as const;
const conversation: ModelCall["messages"] = [
  { role: "user", content: "Weather?" },
  { role: "assistant", content: "", toolCalls: [weather("call_1", lisbon)] },
  { role: "tool", content: "Sunny", toolCallId: "call_1" },
  { role: "assistant", content: "Sunny." },
  { role: "assistant", content: "", toolCalls: [] },
];
const sampling: Partial<ModelCall> = { topP: 0.9, frequencyPenalty: 0.1, presencePenalty: -0.2, seed: 7, stop: ["END"] };
const samplingOnTheWire = { temperature: 0.5, top_p: 0.9, frequency_penalty: 0.1, presence_penalty: -0.2, seed: 7, stop: ["END"] };
const plainKeys = ["model", "messages", "max_completion_tokens"];
const bodyOf = (wireName: string, provider: ProviderId, changes: Partial<ModelCall> = {}) =>
  JSON.parse(openaiFormat.buildRequest({ ...call, ...changes }, wireName, "sk-test", provider).body);

test("a request contains the call and nothing else", () => {
  const request = openaiFormat.buildRequest(call, "gpt-4o-mini", "sk-test", "openai");
  expect(request).toMatchObject({
    path: "chat/completions",
    headers: { authorization: "Bearer sk-test", "content-type": "application/json" },
  });
  expect(JSON.parse(request.body)).toEqual({
    model: "gpt-4o-mini",
    messages: call.messages,
    max_completion_tokens: 64,
    temperature: 0.5,
    service_tier: "default",
  });
});

test("caches are kept apart by account: each provider gets the scope in its own field, and the others none", () => {
  const scoped = { cacheScope: "scope-of-an-account" };
  expect(bodyOf("deepseek-chat", "deepseek", scoped)).toMatchObject({ user_id: "scope-of-an-account" });
  expect(bodyOf("deepseek-chat", "deepseek", scoped)).not.toHaveProperty("prompt_cache_key");
  expect(bodyOf("gpt-4o", "openai", scoped)).toMatchObject({ prompt_cache_key: "scope-of-an-account" });
  expect(bodyOf("gpt-4o", "openai", scoped)).not.toHaveProperty("user_id");
  const xai = openaiFormat.buildRequest({ ...call, ...scoped }, "grok-4.20-non-reasoning", "sk-test", "xai");
  expect(xai.headers).toMatchObject({ "x-grok-conv-id": "scope-of-an-account" });
  expect(xai.body).not.toContain("scope-of-an-account");
  expect(openaiFormat.buildRequest(call, "grok-4.20-non-reasoning", "sk-test", "xai").headers).not.toHaveProperty("x-grok-conv-id");
});

test("a call that pays for no cache write asks OpenAI for explicit caching where writes are billed, and sets no breakpoint", () => {
  for (const name of ["gpt-5.6-sol", "gpt-6-luna", "gpt-6.1-sol", "gpt-10"]) {
    expect(bodyOf(name, "openai", { caching: "off" }).prompt_cache_options, name).toEqual({ mode: "explicit" });
    expect(bodyOf(name, "openai"), name).not.toHaveProperty("prompt_cache_options");
  }
  for (const name of ["gpt-4o", "gpt-5", "gpt-5.5"]) {
    expect(bodyOf(name, "openai", { caching: "off" }), name).not.toHaveProperty("prompt_cache_options");
  }
  expect(bodyOf("gpt-6-luna", "xai", { caching: "off" })).not.toHaveProperty("prompt_cache_options");
});

test("only OpenAI is asked for its default service tier", () => {
  expect(bodyOf("gpt-4o", "openai").service_tier).toBe("default");
  for (const provider of ["xai", "deepseek"] as const) expect(bodyOf("some-model", provider)).not.toHaveProperty("service_tier");
});

test("a stream asks for its usage", () => {
  expect(bodyOf("gpt-4o-mini", "openai", { stream: true })).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

test.each(["xai", "deepseek"] as const)("%s gets the older name of the output limit", (provider) => {
  const body = bodyOf("some-model", provider);
  expect(body.max_tokens).toBe(64);
  expect(body).not.toHaveProperty("max_completion_tokens");
});

test.each([
  ["o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5-mini", "gpt-5.1", "gpt-5.1-chat-latest", "openai/gpt-5", "gpt-4o-search-preview"],
])("models that refuse a temperature get none, and no other option that they refuse", (...names) => {
  for (const name of names) expect(Object.keys(bodyOf(name, "openai", sampling)), name).toEqual([...plainKeys, "seed", "service_tier"]);
});

test.each([
  ["gpt-4o", "gpt-4.1-mini", "gpt-3.5-turbo", "gpt-5-chat-latest", "gpt-4o-mini", "grok-4", "deepseek-reasoner", "olmo-2", "gpt-50x"],
])("all others get their temperature", (...names) => {
  for (const name of names) expect(bodyOf(name, "openai", sampling), name).toMatchObject(samplingOnTheWire);
});

test("xAI's reasoning models get no penalties and no stop sequences, which they refuse", () => {
  expect(bodyOf("grok-4.20-non-reasoning", "xai", sampling)).toMatchObject(samplingOnTheWire);
  expect(Object.keys(bodyOf("grok-4.3", "xai", sampling))).toEqual(["model", "messages", "max_tokens", "seed", "temperature", "top_p"]);
});

test("DeepSeek gets no option that its reference does not list", () => {
  const { seed: _, ...known } = samplingOnTheWire;
  const body = bodyOf("deepseek-chat", "deepseek", { ...sampling, ...tooled, parallelToolCalls: true, responseFormat: jsonSchema });
  expect(body).toMatchObject({ ...known, response_format: { type: "json_object" } });
  expect(body).not.toHaveProperty("seed");
  expect(body).not.toHaveProperty("parallel_tool_calls");
  expect(JSON.stringify(body)).not.toContain("strict");
  expect(body.messages[0].content).toBe(`Return JSON that conforms to this JSON Schema: ${JSON.stringify(jsonSchema.schema)}`);
  expect(body.messages.slice(1)).toEqual(call.messages);
});

test("empty options are not sent", () => {
  const empty = { stop: [], tools: [], toolChoice: "auto", parallelToolCalls: true } as const;
  expect(Object.keys(bodyOf("gpt-4o", "openai", empty))).toEqual([...plainKeys, "service_tier", "temperature"]);
});

test("tools are sent as functions, with the tool choice", () => {
  const body = bodyOf("gpt-4o", "openai", { ...tooled, parallelToolCalls: false });
  expect(body.tools).toEqual([
    { type: "function", function: { name: "get_weather", description: "Weather now", parameters: citySchema, strict: true } },
    { type: "function", function: { name: "get_time" } },
  ]);
  expect(body).toMatchObject({ tool_choice: "auto", parallel_tool_calls: false });
  expect(bodyOf("gpt-4o", "openai", { ...tooled, toolChoice: { name: "get_time" } }).tool_choice).toEqual({
    type: "function",
    function: { name: "get_time" },
  });
});

test("the o-series gets no parallel_tool_calls", () => {
  const parallel = { ...tooled, parallelToolCalls: true };
  expect(bodyOf("o3-mini", "openai", parallel)).not.toHaveProperty("parallel_tool_calls");
  expect(bodyOf("gpt-5", "openai", parallel)).toHaveProperty("parallel_tool_calls", true);
});

test("models that accept no tools while reasoning get reasoning_effort none, only with tools", () => {
  for (const name of ["gpt-5.6", "gpt-5.6-terra", "gpt-6-sol", "gpt-6.1-terra", "openai/gpt-6-luna"]) {
    expect(bodyOf(name, "openai", tooled), name).toHaveProperty("reasoning_effort", "none");
    expect(bodyOf(name, "openai"), name).not.toHaveProperty("reasoning_effort");
  }
  for (const name of ["gpt-4o", "gpt-5", "gpt-5-mini", "gpt-5.1", "gpt-5.4"])
    expect(bodyOf(name, "openai", tooled), name).not.toHaveProperty("reasoning_effort");
});

test("tool calls and their results are sent back unchanged", () => {
  expect(bodyOf("gpt-4o", "openai", { messages: conversation }).messages).toEqual([
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "get_weather", arguments: lisbon } }],
    },
    { role: "tool", content: "Sunny", tool_call_id: "call_1" },
    { role: "assistant", content: "Sunny." },
    { role: "assistant", content: "" },
  ]);
});

test("an id too long for OpenAI is shortened the same way in the call and in its result", () => {
  const id = `call_1__thought__${"x".repeat(300)}`;
  const { messages } = bodyOf("gpt-4o", "openai", {
    messages: [
      { role: "assistant", content: "", toolCalls: [{ id, name: "f", arguments: "{}" }] },
      { role: "tool", content: "", toolCallId: id },
    ],
  });
  expect(messages[1].tool_call_id).toBe(messages[0].tool_calls[0].id);
  expect(messages[1].tool_call_id).toMatch(/^call_\w{32}$/);
});

test("DeepSeek's thinking models get empty reasoning_content back, and do not think when a tool is forced", () => {
  const { messages } = bodyOf("deepseek-flash", "deepseek", { messages: conversation });
  for (const message of messages) expect(message.reasoning_content).toBe(message.role === "assistant" ? "" : undefined);
  expect(JSON.stringify(bodyOf("deepseek-chat", "deepseek", { messages: conversation }))).not.toContain("reasoning_content");
  expect(bodyOf("deepseek-flash", "deepseek", tooled)).not.toHaveProperty("thinking");
  for (const toolChoice of ["required", { name: "get_time" }] as const)
    expect(bodyOf("deepseek-flash", "deepseek", { ...tooled, toolChoice }).thinking).toEqual({ type: "disabled" });
});

test("a response format is requested", () => {
  expect(bodyOf("gpt-4o", "openai", { responseFormat: { type: "json_object" } }).response_format).toEqual({ type: "json_object" });
  const { type, ...named } = jsonSchema;
  expect(bodyOf("gpt-4o", "openai", { responseFormat: jsonSchema }).response_format).toEqual({ type, json_schema: named });
});

test("no temperature is sent when the call has none", () => {
  expect(bodyOf("gpt-4o", "openai", { temperature: undefined })).not.toHaveProperty("temperature");
  expect(bodyOf("gpt-4o", "openai", { temperature: 0 })).toHaveProperty("temperature", 0);
});
