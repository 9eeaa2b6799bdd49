// What is sent to a provider that is an entry: each flag of its dialect leaves out, or rewrites, what the provider would refuse.

import { expect, test } from "vitest";
import { readConfig } from "@/lib/base/config";
import { buildCatalogue } from "../catalogue";
import { readEndpoints } from "../endpoints";
import { openaiFormat } from "../openai";
import type { ChatDialect, RouteEntry } from "../provider-entry";
import type { ModelCall, Tool } from "../types";

const common: ChatDialect = {
  limit: "max_tokens",
  sampling: true,
  penalties: true,
  stop: true,
  seed: "seed",
  parallelToolCalls: true,
  strictTools: true,
  toolChoice: "named",
  toolCallIds: "any",
  turns: "template",
  jsonSchema: true,
  streamOptions: true,
  reasoningContent: false,
  efforts: [],
  limitIncludesReasoning: true,
  cacheScope: "",
  maxPrice: false,
  body: {},
};
const schema = { type: "object", properties: { city: { type: "string" } } };
const tools: Tool[] = [{ name: "get_weather", parameters: schema, strict: true }, { name: "get_time" }];
const everything: ModelCall = {
  messages: [
    { role: "user", content: "Weather?" },
    { role: "assistant", content: "", toolCalls: [{ id: "toolu_01ABC", name: "get_weather", arguments: "{}" }] },
    { role: "tool", content: "Sunny", toolCallId: "toolu_01ABC" },
  ],
  maxOutputTokens: 64,
  temperature: 0.5,
  topP: 0.9,
  frequencyPenalty: 0.1,
  presencePenalty: 0.2,
  stop: ["END"],
  seed: 7,
  tools,
  toolChoice: { name: "get_weather" },
  parallelToolCalls: false,
  responseFormat: { type: "json_schema", name: "city", schema },
  reasoning: { effort: "medium" },
  stream: true,
};

type Sent = Record<string, unknown> & { messages: Record<string, unknown>[]; tools?: { function: { name: string; strict?: boolean } }[] };

const sent = (entry: RouteEntry, call: ModelCall = everything): Sent =>
  JSON.parse(openaiFormat.buildRequest(call, "open-model", "k", "acme", entry).body) as Sent;
const entryOf = (dialect: Partial<ChatDialect>): RouteEntry => ({
  format: "openai",
  stopsWhenCut: false,
  dialect: { ...common, ...dialect },
});

test("a compatible server gets all that chat completions have, and nothing of OpenAI's own", () => {
  const body = sent(entryOf({}));
  expect(body).toMatchObject({
    model: "open-model",
    max_tokens: 64,
    temperature: 0.5,
    top_p: 0.9,
    frequency_penalty: 0.1,
    presence_penalty: 0.2,
    stop: ["END"],
    seed: 7,
    tool_choice: { type: "function", function: { name: "get_weather" } },
    parallel_tool_calls: false,
    response_format: { type: "json_schema" },
    stream: true,
    stream_options: { include_usage: true },
  });
  for (const name of ["max_completion_tokens", "service_tier", "prompt_cache_options", "thinking", "reasoning_effort", "provider"]) {
    expect(body).not.toHaveProperty(name);
  }
});

test.each<[Partial<ChatDialect>, object, string[]]>([
  [{ limit: "max_completion_tokens" }, { max_completion_tokens: 64 }, ["max_tokens"]],
  [{ sampling: false }, { frequency_penalty: 0.1 }, ["temperature", "top_p"]],
  [{ penalties: false }, { stop: ["END"] }, ["frequency_penalty", "presence_penalty"]],
  [{ stop: false }, { presence_penalty: 0.2 }, ["stop"]],
  [{ seed: "random_seed" }, { random_seed: 7 }, ["seed"]],
  [{ seed: "none" }, {}, ["seed", "random_seed"]],
  [{ parallelToolCalls: false }, {}, ["parallel_tool_calls"]],
  [{ toolChoice: "required" }, { tool_choice: "required" }, []],
  [{ toolChoice: "auto" }, { tool_choice: "auto" }, []],
  [{ jsonSchema: false }, { response_format: { type: "json_object" } }, []],
  [{ streamOptions: false }, { stream: true }, ["stream_options"]],
  [{ efforts: ["low", "high"] }, { reasoning_effort: "low" }, []],
  [{ body: { reasoning_format: "hidden" } }, { reasoning_format: "hidden", max_tokens: 64 }, []],
])("the dialect %j is kept", (dialect, present, absent) => {
  const body = sent(entryOf(dialect));
  expect(body).toMatchObject(present);
  for (const name of absent) expect(body).not.toHaveProperty(name);
});

test("where no tool can be named, the model sees the named one alone; other choices stay", () => {
  for (const toolChoice of ["required", "auto"] as const) {
    const entry = entryOf({ toolChoice });
    expect(sent(entry).tools?.map((tool) => tool.function.name)).toEqual(["get_weather"]);
    expect(sent(entry, { ...everything, toolChoice: "required" })).toMatchObject({ tool_choice: toolChoice, tools: [{}, {}] });
    expect(sent(entry, { ...everything, toolChoice: "none" }).tool_choice).toBe("none");
  }
});

test("tools lose `strict`, messages get a `reasoning_content`, and a schema goes into a message, where the dialect says so", () => {
  expect(sent(entryOf({})).tools?.[0]?.function.strict).toBe(true);
  expect(sent(entryOf({ strictTools: false })).tools?.[0]?.function).not.toHaveProperty("strict");
  expect(sent(entryOf({})).messages[1]).not.toHaveProperty("reasoning_content");
  expect(sent(entryOf({ reasoningContent: true })).messages[1]).toMatchObject({ role: "assistant", reasoning_content: "" });
  expect(sent(entryOf({ jsonSchema: false })).messages[0]).toMatchObject({ role: "system", content: expect.stringContaining('"city"') });
});

test("a short id of a tool call is nine letters and digits, the same in the call and in its result; the provider's own stays", () => {
  const ids = (call: ModelCall) => {
    const { messages } = sent(entryOf({ toolCallIds: "short" }), call);
    const calls = (messages[1]?.tool_calls ?? []) as { id: string }[];
    return [calls[0]?.id, messages[2]?.tool_call_id];
  };
  const [called, answered] = ids(everything);
  expect(called).toMatch(/^[A-Za-z0-9]{9}$/);
  expect(answered).toBe(called);
  const own = JSON.parse(JSON.stringify(everything).replaceAll("toolu_01ABC", "D681PevKs")) as ModelCall;
  expect(ids(own)).toEqual(["D681PevKs", "D681PevKs"]);
});

test("a limit of price is sent beside the operator's own choice of hosts", () => {
  const entry = { ...entryOf({ body: { provider: { sort: "price" } } }), maxPrice: { prompt: 0.3, completion: 0.9, request: 0 } };
  expect(sent(entry).provider).toEqual({ sort: "price", max_price: { prompt: 0.3, completion: 0.9, request: 0 } });
});

test("the account's cache has its name in the field that the entry names, and in no other", () => {
  const scoped = { ...everything, cacheScope: "scope-of-an-account" };
  expect(sent(entryOf({ cacheScope: "cache_salt" }), scoped)).toMatchObject({ cache_salt: "scope-of-an-account" });
  expect(sent(entryOf({ cacheScope: "cache_salt" }))).not.toHaveProperty("cache_salt");
  expect(JSON.stringify(sent(entryOf({}), scoped))).not.toContain("scope-of-an-account");
});

test("each provider in code gets a body that its reference allows", () => {
  const keys = ["MISTRAL", "GROQ", "FIREWORKS", "MOONSHOT", "CEREBRAS"].map((name) => [`${name}_API_KEY`, "k"]);
  const endpoints = readEndpoints(readConfig({ SANDBOX_REAL_MODELS: "1", ...Object.fromEntries(keys) }), {});
  const { byName } = buildCatalogue({ endpoints, todayMs: 0 });
  const fieldsOf = (model: string, index = 0) => {
    const route = byName.get(model)?.routes[index];
    if (!route?.entry) throw new Error(`${model} has no such route`);
    return Object.keys(JSON.parse(openaiFormat.buildRequest(everything, route.wireName, "k", route.provider, route.entry).body) as object);
  };
  const refused = {
    "mistral-small-2603": ["max_completion_tokens", "seed", "stream_options", "reasoning_effort"],
    "gpt-oss-120b": ["max_tokens", "service_tier"],
    "kimi-k3": ["max_tokens", "temperature", "top_p", "frequency_penalty", "presence_penalty", "seed", "thinking"],
    "gpt-oss-120b-cerebras": ["max_tokens", "frequency_penalty", "presence_penalty", "parallel_tool_calls", "service_tier"],
  };
  for (const [model, names] of Object.entries(refused)) expect(fieldsOf(model).filter((name) => names.includes(name))).toEqual([]);
  const atFireworks = fieldsOf("gpt-oss-120b", 1);
  expect(atFireworks.filter((name) => ["stream_options", "seed", "parallel_tool_calls"].includes(name))).toEqual([]);
  expect(atFireworks).toContain("reasoning_effort");
  expect(fieldsOf("qwen3.8-27b")).toContain("reasoning_format");
  expect(fieldsOf("mistral-small-2603")).toContain("random_seed");
});
