import { expect, test } from "vitest";
import type { ModelCall } from "../types";
import { buildAnthropicRequest } from "./request";

const parameters = { type: "object", properties: { city: { type: "string", minLength: 1 } }, required: ["city"] };
const weather = { name: "get_weather", description: "Weather of a city.", parameters, strict: true };
const call: ModelCall = { messages: [{ role: "user", content: "Paris?" }], maxOutputTokens: 64, stream: false, tools: [weather] };
const bodyOf = (changes: Partial<ModelCall>, wireName = "claude-sonnet-4-5-20250929") =>
  JSON.parse(buildAnthropicRequest({ ...call, ...changes }, wireName, "sk-ant-test").body);

test("a function becomes a tool whose input schema is the function's, unchanged", () => {
  const body = bodyOf({});
  expect(body.tools).toEqual([{ name: "get_weather", description: "Weather of a city.", input_schema: parameters }]);
  expect(body).not.toHaveProperty("tool_choice");
});

test("a function without parameters still gets an input schema", () => {
  const { tools } = bodyOf({ tools: [{ name: "a" }, { name: "b", parameters: {} }, { name: "c", parameters: { properties: {} } }] });
  expect(tools).toEqual([
    { name: "a", input_schema: { type: "object", properties: {} } },
    { name: "b", input_schema: { type: "object" } },
    { name: "c", input_schema: { type: "object", properties: {} } },
  ]);
});

test.each<[ModelCall["toolChoice"], boolean | undefined, object | undefined]>([
  ["auto", undefined, { type: "auto" }],
  ["none", undefined, { type: "none" }],
  ["required", undefined, { type: "any" }],
  [{ name: "get_weather" }, undefined, { type: "tool", name: "get_weather" }],
  [undefined, true, undefined],
  [undefined, false, { type: "auto", disable_parallel_tool_use: true }],
  ["auto", false, { type: "auto", disable_parallel_tool_use: true }],
  ["none", false, { type: "none" }],
  ["required", false, { type: "any", disable_parallel_tool_use: true }],
  [{ name: "get_weather" }, false, { type: "tool", name: "get_weather", disable_parallel_tool_use: true }],
  ["required", true, { type: "any" }],
])("choice %j, parallel %j: %j", (toolChoice, parallelToolCalls, expected) => {
  const body = bodyOf({ toolChoice, parallelToolCalls });
  expect(body.tool_choice).toEqual(expected);
  expect(body).not.toHaveProperty("system");
});

test("without tools no tool_choice is sent", () => {
  for (const tools of [undefined, []]) {
    const body = bodyOf({ tools, toolChoice: "required", parallelToolCalls: false }, "claude-opus-5-5");
    expect(Object.keys(body)).toEqual(["model", "max_tokens", "messages", "service_tier"]);
  }
});

test("models that refuse a forced tool_choice get the instruction as text", () => {
  for (const name of ["claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1", "claude-mythos-5-1", "claude-opus-6"]) {
    const any = bodyOf({ toolChoice: "required", parallelToolCalls: false }, name);
    expect(any.tool_choice, name).toEqual({ type: "auto", disable_parallel_tool_use: true });
    expect(any.system, name).toBe("Answer by calling at least one of the tools.");
    const one = bodyOf({ toolChoice: { name: "get_weather" } }, name);
    expect(one.tool_choice, name).toEqual({ type: "auto" });
    expect(one.system, name).toBe("Answer by calling the tool get_weather.");
    expect(bodyOf({ toolChoice: "none" }, name)).not.toHaveProperty("system");
  }
  for (const name of [
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-fable-5",
    "claude-haiku-5-5",
    "claude-3-haiku-20240307",
    "my-own-model",
  ]) {
    const body = bodyOf({ toolChoice: "required" }, name);
    expect(body.tool_choice, name).toEqual({ type: "any" });
    expect(body, name).not.toHaveProperty("system");
  }
});
