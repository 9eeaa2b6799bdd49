import { describe, expect, test } from "vitest";
import { wireFormatOf } from "../call";
import type { ReasoningBlock } from "../conversation/messages";
import { endpointAt } from "../endpoints";
import { responsesFormat } from "../openai-responses";
import { oracleRequest } from "../testing/oracle";
import type { ModelCall, Tool } from "../types";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const weather: Tool = { name: "get_weather", description: "Weather now", parameters, strict: true };
const grammar = { type: "grammar", syntax: "lark", definition: 'start: "a"+' };
// The package has a tool of its own that is called apply_patch.
const patch: Tool = {
  name: "edit_files",
  description: "Edits files. Its input follows a grammar.",
  parameters: { type: "object", properties: { input: { type: "string" } }, required: ["input"], additionalProperties: false },
  custom: { description: "Edits files.", format: grammar },
};
const thought: ReasoningBlock = {
  kind: "encrypted",
  madeBy: { provider: "openai", wireName: "gpt-6-sol" },
  text: "Looking it up.",
  data: "gAAAA1",
  id: "rs_1",
};

const bodyOf = (call: Partial<ModelCall>, wireName = "gpt-6-sol") => {
  const whole: ModelCall = { messages: [{ role: "user", content: "Hi" }], maxOutputTokens: 64, stream: false, ...call };
  return JSON.parse(responsesFormat.buildRequest(whole, wireName, "sk-test", "openai").body);
};

const conversation: ModelCall["messages"] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Weather, then patch." },
  {
    role: "assistant",
    content: "",
    reasoning: [thought],
    toolCalls: [
      { id: "call_1", name: "get_weather", arguments: '{"city":"Lisbon"}' },
      { id: "call_2", name: "edit_files", arguments: '{"input":"aa\\n"}', custom: true },
    ],
  },
  { role: "tool", content: "Sunny", toolCallId: "call_1" },
  { role: "tool", content: "Done", toolCallId: "call_2" },
  { role: "assistant", content: "Sunny, and patched." },
  { role: "user", content: "Again" },
];

test("caches are kept apart by account", () => {
  expect(bodyOf({ cacheScope: "scope-of-an-account" })).toMatchObject({ prompt_cache_key: "scope-of-an-account" });
  expect(bodyOf({})).not.toHaveProperty("prompt_cache_key");
});

describe("a call makes the same request as with OpenAI's package of the AI SDK", () => {
  const options: Partial<ModelCall>[] = [
    {},
    { stream: true },
    { toolChoice: "required", parallelToolCalls: false },
    { toolChoice: { name: "get_weather" }, parallelToolCalls: true },
    { toolChoice: { name: "edit_files" } },
    { reasoning: { effort: "high" }, reasoningSummary: "detailed", verbosity: "low" },
    { responseFormat: { type: "json_object" } },
    { responseFormat: { type: "json_schema", name: "city", description: "A city", schema: parameters, strict: true } },
  ];

  test.each(["gpt-6-sol", "gpt-5-mini", "o3"])("%s", async (wireName) => {
    const messages = conversation.map((message) =>
      message.role === "assistant" && message.reasoning
        ? { ...message, reasoning: [{ ...thought, madeBy: { provider: "openai" as const, wireName } }] }
        : message,
    );
    for (const option of options) {
      const call: ModelCall = { messages, maxOutputTokens: 64, stream: false, returnsReasoning: true, tools: [weather, patch], ...option };
      // The package also leaves `parallel_tool_calls` to the caller, which the o-series refuses.
      if (wireName === "o3") delete call.parallelToolCalls;
      const own = bodyOf(call, wireName);
      const sdk = (await oracleRequest("openai-responses", wireName, call)).body;
      // The package leaves the service tier to the account.
      expect(own).toEqual({ ...sdk, service_tier: "default" });
    }
  });

  test("to the same address, with the same key", async () => {
    const call: ModelCall = { messages: conversation, maxOutputTokens: 64, stream: false };
    const own = responsesFormat.buildRequest(call, "gpt-6-sol", "test-key", "openai");
    const sdk = await oracleRequest("openai-responses", "gpt-6-sol", call);
    expect(sdk.url.endsWith(`/${own.path}`)).toBe(true);
    for (const [name, value] of Object.entries(own.headers)) expect(sdk.headers.get(name)).toBe(value);
  });
});

test("a request contains the call and nothing else: nothing is stored, and `strict` is always given", () => {
  expect(bodyOf({ temperature: 0.5, seed: 7, stop: ["END"], tools: [{ name: "get_time" }] })).toEqual({
    model: "gpt-6-sol",
    input: [{ role: "user", content: [{ type: "input_text", text: "Hi" }] }],
    store: false,
    max_output_tokens: 64,
    service_tier: "default",
    tools: [{ type: "function", name: "get_time", parameters: { type: "object", properties: {} }, strict: false }],
  });
});

test("a call that pays for no cache write asks for explicit caching where writes are billed", () => {
  expect(bodyOf({ caching: "off" }, "gpt-6-sol").prompt_cache_options).toEqual({ mode: "explicit" });
  expect(bodyOf({}, "gpt-6-sol")).not.toHaveProperty("prompt_cache_options");
  expect(bodyOf({ caching: "off" }, "gpt-5.5")).not.toHaveProperty("prompt_cache_options");
});

test("reasoning goes to the model that made it and to no other", () => {
  const itemsFor = (wireName: string) => bodyOf({ messages: conversation }, wireName).input as { type?: string }[];
  expect(itemsFor("gpt-6-sol").filter(({ type }) => type === "reasoning")).toEqual([
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Looking it up." }], encrypted_content: "gAAAA1" },
  ]);
  expect(itemsFor("gpt-6-luna").filter(({ type }) => type === "reasoning")).toEqual([]);
});

test("reasoning keeps its place in a message, and the message its phase", () => {
  const [, ...items] = bodyOf({
    messages: [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: "Looking.",
        phase: "commentary",
        reasoning: [thought, { ...thought, id: "rs_2", after: { characters: 8, calls: 0 } }],
        toolCalls: [{ id: "call_1", name: "get_weather", arguments: "{}" }],
      },
      { role: "tool", content: "Sunny", toolCallId: "call_1" },
    ],
  }).input as { type?: string; id?: string; phase?: string }[];
  expect(items.map(({ type, id, phase }) => phase ?? id ?? type)).toEqual([
    "rs_1",
    "commentary",
    "rs_2",
    "function_call",
    "function_call_output",
  ]);
});

test("a thought at the end of a message stays only where an answer follows", () => {
  const said: ModelCall["messages"][number] = {
    role: "assistant",
    content: "Looking.",
    reasoning: [{ ...thought, after: { characters: 8, calls: 0 } }],
  };
  const typesOf = (messages: ModelCall["messages"]) => (bodyOf({ messages }).input as { type?: string }[]).map(({ type }) => type);
  expect(typesOf([said, { role: "user", content: "Go on." }])).toEqual([undefined, undefined]);
  expect(typesOf([said, { role: "assistant", content: "It rains." }])).toEqual([undefined, "reasoning", undefined]);
});

test("a long id, as Gemini's with its signature, is shortened the same way in call and result", () => {
  const id = `call_1__thought__${"x".repeat(100)}`;
  const { input } = bodyOf({
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "", toolCalls: [{ id, name: "f", arguments: "{}" }] },
      { role: "tool", content: "x", toolCallId: id },
    ],
  });
  expect(input[1].call_id).toMatch(/^call_[0-9a-f]{32}$/);
  expect(input[2].call_id).toBe(input[1].call_id);
});

test("OpenAI's reasoning models are called over Responses, down to its smallest output limit; all else over chat completions", () => {
  const format = (wireName: string, maxOutputTokens = 64) =>
    wireFormatOf({ provider: "openai", wireName }, endpointAt("openai", "http://127.0.0.1/v1", "key"), maxOutputTokens);
  for (const name of ["gpt-6-sol", "gpt-5", "gpt-5.1", "o3-mini", "o1", "gpt-10-x"]) expect(format(name), name).toBe("openai-responses");
  for (const name of ["gpt-4o", "gpt-4.1-mini", "gpt-5-chat-latest", "gpt-3.5-turbo"]) expect(format(name), name).toBe("openai");
  expect([format("gpt-6-sol", 16), format("gpt-6-sol", 15)]).toEqual(["openai-responses", "openai"]);
  const named = { provider: "openai", wireName: "my-deployment", wireFormat: "openai-responses" } as const;
  expect(wireFormatOf(named, endpointAt("openai", "http://127.0.0.1/v1", "key"), 64)).toBe("openai-responses");
});
