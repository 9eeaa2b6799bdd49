// The simulated vendors accept the requests of our own wire formats, and answer what they ask: tools, their calls and results, formats and
// every other option, for every model of the catalogue. What single models refuse is tested beside the formats in lib/providers.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sample } from "@/lib/db/testing/sample";
import { anthropicFormat } from "@/lib/providers/anthropic";
import { callProvider, callProviderWhole, wireFormatOf } from "@/lib/providers/call";
import { builtInModels } from "@/lib/providers/catalogue-data";
import type { ChatMessage } from "@/lib/providers/conversation/messages";
import { endpointAt, vendorIds } from "@/lib/providers/endpoints";
import { geminiFormat } from "@/lib/providers/gemini";
import type { ModelRoute, VendorId } from "@/lib/providers/model-route";
import { openaiFormat } from "@/lib/providers/openai";
import { responsesFormat } from "@/lib/providers/openai-responses";
import { limits, modelAt, readCall } from "@/lib/providers/testing/call-kit";
import { inputBoundForCall } from "@/lib/providers/token-bound";
import { closeProviderPools } from "@/lib/providers/transport";
import type { ModelCall, ProviderEvent, ResponseFormat, Tool } from "@/lib/providers/types";
import { startTestModels, type TestModels } from "./testing";

let models: TestModels;
beforeAll(async () => {
  models = await startTestModels();
});
afterAll(async () => {
  await closeProviderPools();
  await models?.stop();
});

const formats = { openai: openaiFormat, "openai-responses": responsesFormat, anthropic: anthropicFormat, gemini: geminiFormat };

type VendorRoute = ModelRoute & { provider: VendorId };
const isVendorRoute = (route: ModelRoute): route is VendorRoute => vendorIds.some((id) => id === route.provider);

async function send(route: VendorRoute, call: ModelCall) {
  const endpoint = endpointAt(route.provider, models.baseUrls[route.provider], models.apiKey);
  const format = formats[wireFormatOf(route, endpoint, call.maxOutputTokens)];
  const { path, headers, body } = format.buildRequest(call, route.wireName, models.apiKey, route.provider);
  const response = await fetch(`${models.baseUrls[route.provider]}/${path}`, { method: "POST", headers, body });
  const events: ProviderEvent[] = [];
  // Makes a failed test show the refusal's text.
  if (!response.ok) return { refusal: `${response.status} ${await response.text()}`, events };
  if (!call.stream) return { refusal: null, events: format.readReply(await response.text()) };
  if (response.body === null) throw new Error("a stream without a body");
  for await (const event of format.readStream(response.body)) events.push(event);
  return { refusal: null, events };
}

const tools: Tool[] = [
  {
    name: "get_weather",
    description: "The weather at a place.",
    parameters: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        city: { type: "string", minLength: 1 },
        days: { type: "integer", minimum: 1, maximum: 14 },
        tags: { type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } },
      },
      required: ["city", "days"],
      additionalProperties: false,
    },
    strict: true,
  },
  { name: "get_time" },
];

const schemaFormat: ResponseFormat = {
  type: "json_schema",
  name: "forecast",
  description: "What is to come.",
  schema: {
    type: "object",
    properties: { sky: { type: "string", enum: ["clear", "grey"] }, degrees: { type: "number", minimum: -90 } },
    required: ["sky", "degrees"],
    additionalProperties: false,
  },
  strict: true,
};

const opening: ChatMessage[] = [
  { role: "system", content: "Answer in JSON where you can." },
  { role: "user", content: "Do I need an umbrella?" },
];
const conversation: ChatMessage[] = [
  ...opening,
  {
    role: "assistant",
    content: "Let me look.",
    toolCalls: [
      { id: "call_1", name: "get_weather", arguments: '{"city":"Oslo","days":1}' },
      { id: "call_2", name: "get_time", arguments: "" },
    ],
  },
  { role: "tool", content: '{"sky":"grey"}', toolCallId: "call_1" },
  { role: "tool", content: "noon", toolCallId: "call_2" },
];

const everything = {
  temperature: 1.5,
  topP: 0.9,
  frequencyPenalty: 0.5,
  presencePenalty: -0.5,
  seed: 2 ** 33,
  stop: ["END", "\n"],
  parallelToolCalls: false,
};

const calls: Record<string, Omit<ModelCall, "maxOutputTokens" | "stream">> = {
  "tools alone": { messages: opening, tools },
  "a forced tool": { messages: opening, tools, toolChoice: "required" },
  "a named tool": { messages: opening, tools, toolChoice: { name: "get_time" } },
  "no tool allowed": { messages: conversation, tools, toolChoice: "none" },
  "tool results": { messages: conversation, tools },
  "tool results, then a user message": { messages: [...conversation, { role: "user", content: "And tomorrow?" }], tools },
  "a second round of calls": {
    messages: [
      ...conversation,
      { role: "assistant", content: "", toolCalls: [{ id: "call_3", name: "get_time", arguments: "{}" }] },
      { role: "tool", content: "", toolCallId: "call_3" },
    ],
    tools,
  },
  "tool results without the tools": { messages: conversation },
  "every option": { messages: opening, tools, toolChoice: "auto", ...everything },
  "every option without tools": { messages: opening, ...everything },
  "a temperature alone": { messages: opening, temperature: 0.3 },
  "a top_p alone": { messages: opening, topP: 0.3 },
  "a JSON object": { messages: opening, responseFormat: { type: "json_object" } },
  "a JSON schema": { messages: opening, responseFormat: schemaFormat },
  "a JSON schema and tools": { messages: opening, responseFormat: schemaFormat, tools },
};

// Models that an operator may add, with stricter rules than those of the catalogue.
const addedRoutes: VendorRoute[] = [
  { provider: "openai", wireName: "o3" },
  { provider: "openai", wireName: "gpt-5-mini" },
  { provider: "anthropic", wireName: "claude-opus-4-7" },
  { provider: "anthropic", wireName: "claude-3-5-haiku-20241022" },
  { provider: "xai", wireName: "grok-4" },
  { provider: "deepseek", wireName: "deepseek-reasoner" },
];

const offered = builtInModels.flatMap((model) => model.routes.filter(isVendorRoute).map((route) => ({ route, bound: model.tokenBound })));
const routes = [...offered, ...addedRoutes.map((route) => ({ route, bound: "claude" as const }))].map((one) => ({
  ...one,
  name: `${one.route.provider}/${one.route.wireName}`,
}));

describe.each(sample("routes", routes, 20))("$name", ({ route, bound }) => {
  test.each(Object.entries(calls))("%s", async (_name, given) => {
    for (const stream of [false, true]) {
      const { refusal, events } = await send(route, { ...given, maxOutputTokens: 500, stream });
      expect(refusal).toBeNull();
      const finish = events.at(-1);
      expect(finish).toMatchObject({ type: "finish", usage: { inputTokens: expect.any(Number) } });
      const counted = finish?.type === "finish" ? finish.usage?.inputTokens : undefined;
      expect(counted).toBeLessThanOrEqual(inputBoundForCall(given, bound));
    }
  });

  test("the answer follows the format, whether the vendor has a field for it or the prompt asks for it", async () => {
    const read = async (responseFormat: ResponseFormat) => {
      const { events } = await send(route, { messages: opening, responseFormat, maxOutputTokens: 500, stream: false });
      return JSON.parse(events.map((event) => (event.type === "text" ? event.text : "")).join("")) as unknown;
    };
    expect(await read(schemaFormat)).toEqual({ sky: "clear", degrees: 1 });
    expect(await read({ type: "json_object" })).toEqual({ answer: expect.stringMatching(/^Simulated answer/) });
  });

  test("an answered call is accepted with its result", async () => {
    const question = { messages: [{ role: "user" as const, content: "Look twice. [[simulate: tool=get_weather,get_time]]" }], tools };
    for (const stream of [false, true]) {
      const { refusal, events } = await send(route, { ...question, maxOutputTokens: 500, stream });
      expect(refusal).toBeNull();
      expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool_calls" });
      const toolCalls = readToolCalls(events);
      expect(toolCalls.map(({ name, arguments: text }) => [name, JSON.parse(text) as unknown])).toEqual([
        ["get_weather", { city: "example", days: 1 }],
        ["get_time", {}],
      ]);
      const messages: ChatMessage[] = [
        ...question.messages,
        { role: "assistant", content: "", toolCalls },
        ...toolCalls.map(({ id, name }) => ({ role: "tool" as const, content: `${name} is done`, toolCallId: id })),
      ];
      const end = await send(route, { messages, tools, maxOutputTokens: 500, stream });
      expect(end.refusal).toBeNull();
      const text = end.events.map((event) => (event.type === "text" ? event.text : "")).join("");
      expect(text).toContain("The function said: “get_weather is done”. The function said: “get_time is done”.");
    }
  });
});

test("every answer has its own request id, in the vendor's own header or field", async () => {
  const forms = { openai: /^req_\w{22}$/, anthropic: /^req_01\w{22}$/, gemini: /^\w{24}$/, xai: /^\w{22}$/, deepseek: /^\w{22}$/ };
  const seen = new Set<string | undefined>();
  for (const provider of vendorIds) {
    const route = routes.find((one) => one.route.provider === provider)?.route;
    if (route === undefined) throw new Error(`no route of ${provider}`);
    const url = models.baseUrls[provider];
    const model = { ...modelAt(url).model, routes: [route] as const };
    const setup = { endpoints: new Map([[provider, endpointAt(provider, url, models.apiKey)]]), formats, limits };
    const call = { messages: opening, maxOutputTokens: 50 };
    const calls = [
      callProviderWhole(model, { ...call, stream: false }, null, setup),
      callProviderWhole(model, { ...call, stream: false }, null, setup),
      callProvider(model, { ...call, stream: true }, null, setup),
    ];
    for (const { answer, failure } of await Promise.all(calls.map(readCall))) {
      expect(failure).toBeUndefined();
      expect(answer.requestId).toMatch(forms[provider]);
      seen.add(answer.requestId);
    }
  }
  expect(seen.size).toBe(3 * vendorIds.length);
});

function readToolCalls(events: readonly ProviderEvent[]) {
  const read: { id: string; name: string; arguments: string }[] = [];
  for (const event of events) {
    if (event.type !== "tool_call") continue;
    read[event.index] ??= { id: event.id ?? "", name: event.name ?? "", arguments: "" };
    const call = read[event.index];
    if (call !== undefined) call.arguments += event.arguments;
  }
  return read;
}
