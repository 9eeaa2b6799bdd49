import { expect, test } from "vitest";
import type { ModelCall } from "../types";
import { buildAnthropicRequest } from "./request";

const call: ModelCall = {
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
    { role: "system", content: "In French." },
    { role: "user", content: "Again" },
  ],
  maxOutputTokens: 64,
  temperature: 0.5,
  stream: false,
};
const bodyOf = (changes: Partial<ModelCall>, wireName = "claude-sonnet-4-5-20250929") =>
  JSON.parse(buildAnthropicRequest({ ...call, ...changes }, wireName, "sk-ant-test").body);

test("requests contain the call and nothing else, later instructions in their place", () => {
  const request = buildAnthropicRequest(call, "claude-haiku-4-5-20251001", "sk-ant-test");
  expect(request.path).toBe("v1/messages");
  expect(request.headers).toEqual({ "content-type": "application/json", "x-api-key": "sk-ant-test", "anthropic-version": "2023-06-01" });
  expect(JSON.parse(request.body)).toEqual({
    model: "claude-haiku-4-5-20251001",
    max_tokens: 64,
    system: "Be brief.",
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
      { role: "user", content: "In French." },
      { role: "user", content: "Again" },
    ],
    service_tier: "standard_only",
    temperature: 0.5,
  });
});

test("a stream is requested, and no system is sent without system messages", () => {
  const body = bodyOf({ stream: true, messages: [{ role: "user", content: "Hi" }] });
  expect(body.stream).toBe(true);
  expect(body).not.toHaveProperty("system");
});

test("options that Anthropic does not support are left out", () => {
  expect(bodyOf({ seed: 7, frequencyPenalty: 1, presencePenalty: -1 })).toEqual(bodyOf({}));
});

test("temperature is capped at 1 and otherwise kept", () => {
  expect([0, 0.7, 1, 1.5, 2].map((temperature) => bodyOf({ temperature }).temperature)).toEqual([0, 0.7, 1, 1, 1]);
  expect(bodyOf({ temperature: undefined })).not.toHaveProperty("temperature");
});

test("top_p is sent only without a temperature, since both together are refused", () => {
  expect(bodyOf({ temperature: undefined, topP: 0.3 })).toMatchObject({ top_p: 0.3 });
  expect(bodyOf({ topP: 0.3 })).toMatchObject({ temperature: 0.5 });
  expect(bodyOf({ topP: 0.3 })).not.toHaveProperty("top_p");
});

test("models from Claude Opus 4.7 on get neither temperature nor top_p, which they refuse", () => {
  for (const name of ["claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-sonnet-5-5-20260901", "claude-fable-5"]) {
    expect(bodyOf({}, name), name).not.toHaveProperty("temperature");
    expect(bodyOf({ temperature: undefined, topP: 0.3 }, name), name).not.toHaveProperty("top_p");
  }
  for (const name of [
    "claude-3-5-haiku-20241022",
    "claude-opus-4-20250514",
    "claude-opus-4-1-20250805",
    "claude-sonnet-4-6",
    "my-own-model",
  ]) {
    expect(bodyOf({}, name), name).toHaveProperty("temperature", 0.5);
  }
});

test("stop sequences are sent except blank ones, which are refused", () => {
  expect(bodyOf({ stop: ["\n", "END", "", "\n- "] }).stop_sequences).toEqual(["END", "\n- "]);
  expect(bodyOf({ stop: ["\n\n"] })).not.toHaveProperty("stop_sequences");
  expect(bodyOf({ stop: [] })).not.toHaveProperty("stop_sequences");
});

test("a JSON object is requested at the end of the system prompt", () => {
  const { system, output_config } = bodyOf({ responseFormat: { type: "json_object" } });
  expect(system).toMatch(/^Be brief\.\n\nAnswer with one JSON object and nothing else/);
  expect(output_config).toBeUndefined();
  const alone = bodyOf({ responseFormat: { type: "json_object" }, messages: [{ role: "user", content: "Hi" }] });
  expect(alone.system).toMatch(/^Answer with one JSON object/);
});

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

test("a schema is a structured output from Claude 4.5 on, and part of the system prompt before", () => {
  const responseFormat = { type: "json_schema", name: "place", description: "Where to go.", schema, strict: true } as const;
  for (const name of ["claude-sonnet-4-5-20250929", "claude-haiku-4-5", "claude-opus-4-6", "claude-sonnet-5-5", "claude-fable-5-1"]) {
    const body = bodyOf({ responseFormat }, name);
    expect(body.output_config, name).toEqual({
      format: { type: "json_schema", schema: { ...schema, description: "Where to go.", additionalProperties: false } },
    });
    expect(body.system).toBe("Be brief.");
  }
  for (const name of ["claude-opus-4-1-20250805", "claude-sonnet-4-20250514", "claude-3-5-haiku-20241022", "my-own-model"]) {
    const body = bodyOf({ responseFormat }, name);
    expect(body, name).not.toHaveProperty("output_config");
    expect(body.system).toContain(`It follows this JSON Schema: ${JSON.stringify({ description: "Where to go.", ...schema })}`);
  }
});

test("a schema that structured outputs would narrow too far goes into the system prompt", () => {
  const free = { type: "object", additionalProperties: { type: "number" } };
  const body = bodyOf({ responseFormat: { type: "json_schema", name: "scores", schema: free } });
  expect(body).not.toHaveProperty("output_config");
  expect(body.system).toContain(JSON.stringify(free));
});
