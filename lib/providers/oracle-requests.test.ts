import { describe, expect, test } from "vitest";
import type { VendorId } from "./model-route";
import { formats, oracleRequest } from "./testing/oracle";
import type { ModelCall } from "./types";

/** A request body in which equivalent spellings are made equal. */
function plainBody(body: Record<string, unknown>): Record<string, unknown> {
  // We always name the service tier; the packages leave it to the account.
  const { messages, system, max_tokens, max_completion_tokens, generationConfig, service_tier: _, ...rest } = body;
  return {
    ...rest,
    // OpenAI's two names of the limit: only OpenAI gets the newer one.
    limit: max_completion_tokens ?? max_tokens,
    system: plainContent(system),
    messages: Array.isArray(messages) ? messages.map(plainMessage) : undefined,
    generationConfig: generationConfig && pick(generationConfig, ["maxOutputTokens", "temperature"]),
  };
}

function plainMessage({ role, content, ...rest }: { role: string; content: unknown }): object {
  // OpenAI reads `system` as `developer`, and compatible servers know only `system`; empty content is null or "".
  return { ...rest, role: role === "developer" ? "system" : role, content: plainContent(content) ?? "" };
}

/** A list of text blocks as the equivalent string. */
function plainContent(content: unknown): unknown {
  return Array.isArray(content) ? content.map(({ text }: { text: string }) => text).join("") : content;
}

function pick(value: object, names: string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

describe("a call makes the same request as with the AI SDK's packages", () => {
  const models: [VendorId, string][] = [
    ["openai", "gpt-4o-mini"],
    ["openai", "gpt-4.1"],
    ["openai", "o3-mini"],
    ["openai", "gpt-5"],
    ["openai", "gpt-5-chat-latest"],
    ["openai", "gpt-5.1"],
    ["xai", "grok-4-fast-non-reasoning"],
    ["deepseek", "deepseek-chat"],
    ["anthropic", "claude-sonnet-4-5-20250929"],
    ["anthropic", "claude-3-5-haiku-20241022"],
    ["anthropic", "claude-opus-4-1-20250805"],
    ["anthropic", "claude-opus-4-7"],
    ["anthropic", "claude-opus-5"],
    ["anthropic", "claude-sonnet-5-5"],
    ["gemini", "gemini-2.5-flash"],
  ];
  const messages: ModelCall["messages"] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Grüße" },
    { role: "assistant", content: "Hello" },
    { role: "user", content: "Again" },
  ];

  test.each(models)("%s %s", async (provider, wireName) => {
    for (const stream of [false, true]) {
      for (const temperature of [undefined, 0, 0.7, 1.5]) {
        const call: ModelCall = { messages, maxOutputTokens: 64, temperature, stream };
        const own = formats[provider].buildRequest(call, wireName, "test-key", provider);
        const sdk = await oracleRequest(provider, wireName, call);
        const ownBody = plainBody(JSON.parse(own.body));
        expect(ownBody).toEqual(pick(plainBody(sdk.body), Object.keys(ownBody)));
        expect(sdk.url.endsWith(`/${own.path}`), `${sdk.url} ends with ${own.path}`).toBe(true);
        for (const [name, value] of Object.entries(own.headers)) expect(sdk.headers.get(name)).toBe(value);
      }
    }
  });

  const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
  const tools = [{ name: "get_weather", description: "Weather now", parameters, strict: true }];
  const called: ModelCall["messages"] = [
    ...messages,
    { role: "assistant", content: "", toolCalls: [{ id: "call_1", name: "get_weather", arguments: '{"city":"Lisbon"}' }] },
    { role: "tool", content: "Sunny", toolCallId: "call_1" },
    { role: "assistant", content: "Sunny. And there?", toolCalls: [{ id: "call_2", name: "get_weather", arguments: '{"city":"Évora"}' }] },
    { role: "tool", content: "Rain", toolCallId: "call_2" },
  ];
  const options: Partial<ModelCall>[] = [
    { tools },
    { tools, toolChoice: "required", topP: 0.9, seed: 7 },
    { tools, toolChoice: { name: "get_weather" }, parallelToolCalls: false, frequencyPenalty: 0.5, presencePenalty: 0.5 },
    { toolChoice: "none", stop: ["END"], responseFormat: { type: "json_object" } },
    { responseFormat: { type: "json_schema", name: "city", schema: parameters, strict: true } },
  ];

  // The package omits these for xAI, which documents them for models that do not reason.
  const laterAtXai = ["frequency_penalty", "presence_penalty", "stop", "parallel_tool_calls"];

  test.each<[VendorId, string, string[]]>([
    ["openai", "gpt-4o-mini", []],
    ["openai", "gpt-5", ["stop"]],
    ["openai", "gpt-6-sol", ["reasoning_effort", "stop"]],
    ["xai", "grok-4.20-non-reasoning", laterAtXai],
    ["xai", "grok-4.3", laterAtXai],
  ])("with tools and options: %s %s", async (provider, wireName, differing) => {
    for (const option of options) {
      const call: ModelCall = { messages: called, maxOutputTokens: 64, stream: false, ...option };
      const own = plainBody(JSON.parse(formats[provider].buildRequest(call, wireName, "test-key", provider).body));
      const sdk = plainBody((await oracleRequest(provider, wireName, call)).body);
      const names = [...new Set([...Object.keys(own), ...Object.keys(sdk)])].filter((name) => !differing.includes(name));
      expect(pick(own, names)).toEqual(pick(sdk, names));
    }
  });
});
