// Providers rewrite tools in their own syntax: the bound must cover every way to write them.

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { buildAnthropicRequest } from "./anthropic/request";
import type { ChatMessage } from "./conversation/messages";
import { addedTokens } from "./conversation/normalise";
import { objectSchema } from "./conversation/tool-schema";
import { buildGeminiRequest } from "./gemini/request";
import type { WireFormatId } from "./model-route";
import { glue, scrap } from "./testing/scraps";
import { bounds, trueCount } from "./testing/tokenizers";
import {
  inputBoundForCall,
  TOKENS_FOR_FORMAT,
  TOKENS_FOR_TOOLS,
  TOKENS_PER_MESSAGE,
  TOKENS_PER_PARAMETER,
  TOKENS_PER_REQUEST,
  TOKENS_PER_TOOL,
} from "./token-bound";
import type { ModelCall, Tool } from "./types";

const isLong = process.env.LONG === "1";
if (isLong) vi.setConfig({ testTimeout: 3_600_000 });
const everyBound = [...bounds, "bytes"] as const;
const empty = TOKENS_PER_REQUEST + TOKENS_FOR_TOOLS;
/** Without what other shapes of the conversation would add. */
const boundOf = (call: Partial<ModelCall>, bound: (typeof everyBound)[number] = "o200k") =>
  inputBoundForCall({ messages: [], ...call }, bound) - addedTokens(call.messages ?? []);
/** JSON as Python writes it by default. */
const inAscii = (value: unknown) =>
  JSON.stringify(value).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

test("tools count as the bytes of their JSON, plus an allowance for each and for all", () => {
  const tool: Tool = { name: "get_time", description: "Time now", parameters: { type: "object", properties: {} } };
  for (const bound of everyBound)
    expect(boundOf({ tools: [tool, tool] }, bound)).toBe(empty + 2 * (TOKENS_PER_TOOL + JSON.stringify(tool).length));
  expect(boundOf({ tools: [] })).toBe(TOKENS_PER_REQUEST);
});

test("the count of tools covers every way to write them: as JSON, indented, in ASCII, as TypeScript, as markup", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(scrap, scrap), { maxLength: 8 }), (fields) => {
      const properties = Object.fromEntries(fields.map(([name, description]) => [name, { type: "string", description }]));
      const parameters = { type: "object", properties };
      const tool = { name: "f", description: fields.flat().join(" "), parameters };
      const lines = Object.entries(properties).map(([name, { description }]) => `// ${description}\n${name}?: string,\n`);
      const typescript = `// ${tool.description}\ntype f = (_: {\n${lines.join("")}}) => any;\n\n`;
      const texts = [
        JSON.stringify(tool),
        JSON.stringify(tool, null, 2),
        inAscii(tool),
        typescript,
        `<function>${JSON.stringify(tool)}</function>\n`,
      ];
      const tokens = boundOf({ tools: [tool] }) - empty;
      for (const text of texts) for (const bound of bounds) expect(trueCount[bound](text)).toBeLessThanOrEqual(tokens);
    }),
    { numRuns: isLong ? 20_000 : 200 },
  );
});

test("variants at the root count with the properties and the description that are made of them", () => {
  const one = (_: unknown, index: number) => [`${index}~`, { const: `#${index}` }];
  const parameters = { anyOf: [{ properties: Object.fromEntries(Array.from({ length: 200 }, one)) }] };
  const { description } = objectSchema(parameters);
  const written = JSON.stringify({ name: "f", parameters: objectSchema(parameters) });
  expect(boundOf({ tools: [{ name: "f", parameters }] }) - empty).toBeGreaterThanOrEqual(written.length);
  expect(written.length).toBeGreaterThan(2 * String(description).length);
});

test("what a format tells in descriptions, since its schemas have no keyword for it, counts as it is sent", () => {
  const told = (index: number) => ({ type: "string", pattern: '"'.repeat(60), minLength: index, not: { const: "\\" } });
  const properties = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, told(index)]));
  const parameters = { type: "object", properties, additionalProperties: false, required: Object.keys(properties) };
  const tools = [{ name: "f", description: "Told", parameters }];
  const responseFormat = { type: "json_schema", name: "told", schema: parameters } as const;
  const call = { messages: [{ role: "user", content: "Hi" }], maxOutputTokens: 1, stream: false } as const;
  const sentTools = JSON.stringify(JSON.parse(buildGeminiRequest({ ...call, tools }, "gemini-2.5-flash", "key").body).tools);
  const { generationConfig } = JSON.parse(buildGeminiRequest({ ...call, responseFormat }, "gemini-2.5-flash", "key").body);
  const sentFormat = JSON.stringify(generationConfig.responseJsonSchema);
  const { output_config } = JSON.parse(buildAnthropicRequest({ ...call, responseFormat }, "claude-haiku-4-5", "key").body);
  const sentToClaude = JSON.stringify(output_config.format.schema);
  for (const sent of [sentTools, sentFormat, sentToClaude]) expect(sent.length).toBeGreaterThan(JSON.stringify(parameters).length + 2_048);
  const bound = (fields: Partial<ModelCall>, formats: readonly WireFormatId[]) =>
    inputBoundForCall({ messages: [], ...fields, formats }, "claude");
  expect(bound({ tools }, ["openai", "gemini"])).toBeGreaterThanOrEqual(empty + sentTools.length);
  expect(bound({ responseFormat }, ["gemini"])).toBeGreaterThanOrEqual(TOKENS_FOR_FORMAT + sentFormat.length);
  expect(bound({ responseFormat }, ["anthropic"])).toBeGreaterThanOrEqual(TOKENS_FOR_FORMAT + sentToClaude.length);
});

test("earlier tool calls count with their arguments, in JSON or in markup, written by model or provider", () => {
  fc.assert(
    fc.property(fc.dictionary(scrap, fc.oneof(scrap, fc.jsonValue(), fc.constant(1e20))), (values) => {
      const call = {
        id: "call_abc123",
        name: "get_weather",
        arguments: JSON.stringify(values).replaceAll("100000000000000000000", "1e20"),
      };
      const message: ChatMessage = { role: "assistant", content: "", toolCalls: [call] };
      const tokens = boundOf({ messages: [message] }) - empty - TOKENS_PER_MESSAGE;
      const parameters = Object.entries(values).map(
        ([name, value]) => `<parameter name="${name}" string="false">${JSON.stringify(value)}</parameter>\n`,
      );
      const markup = `<invoke name="${call.name}">\n${parameters.join("")}</invoke>`;
      const texts = [`${call.name}(${call.arguments})`, JSON.stringify(values), inAscii(values), markup];
      for (const text of texts) for (const bound of bounds) expect(trueCount[bound](text)).toBeLessThanOrEqual(tokens);
    }),
    { numRuns: isLong ? 20_000 : 200 },
  );
});

test.each(["", "{", "no JSON", '"text"', `${"[".repeat(50_000)}1${"]".repeat(50_000)}`])(
  "arguments %.20s, which are not an object, count as the quoted text that some providers need",
  (text) => {
    const message: ChatMessage = { role: "assistant", content: "Hi", toolCalls: [{ id: "i", name: "f", arguments: text }] };
    expect(boundOf({ messages: [message] }, "bytes")).toBe(empty + TOKENS_PER_MESSAGE + TOKENS_PER_TOOL + 4 + JSON.stringify(text).length);
  },
);

test("tool calls with parameters count an allowance for each parameter", () => {
  const message: ChatMessage = { role: "assistant", content: "", toolCalls: [{ id: "i", name: "f", arguments: '{"a":1,"b":2}' }] };
  const around = TOKENS_PER_MESSAGE + TOKENS_PER_TOOL + 2 * TOKENS_PER_PARAMETER;
  expect(boundOf({ messages: [message] })).toBe(empty + around + 2 + 13);
});

test("tool results count with their content, plain or quoted", () => {
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 12 }).map(glue), (content) => {
      const message: ChatMessage = { role: "tool", content, toolCallId: "call_abc123" };
      for (const bound of bounds) {
        const tokens = boundOf({ messages: [message] }, bound) - empty - TOKENS_PER_MESSAGE - TOKENS_PER_TOOL - "call_abc123".length;
        expect(trueCount[bound](content)).toBeLessThanOrEqual(tokens);
        expect(trueCount[bound](JSON.stringify(content))).toBeLessThanOrEqual(tokens);
      }
    }),
    { numRuns: isLong ? 20_000 : 200 },
  );
});

test("tools cost their system prompt once, and nothing when no message and no definition involves them", () => {
  const result: ChatMessage = { role: "tool", content: "", toolCallId: "" };
  expect(boundOf({ messages: [result], tools: [{ name: "f" }] })).toBeLessThan(boundOf({ messages: [result] }) + TOKENS_FOR_TOOLS);
  expect(boundOf({ messages: [{ role: "assistant", content: "", toolCalls: [] }] })).toBe(TOKENS_PER_REQUEST + TOKENS_PER_MESSAGE);
  // Claude Opus 4.7's, the longest documented one.
  expect(TOKENS_FOR_TOOLS).toBeGreaterThanOrEqual(804);
});

test("a response format counts as its JSON", () => {
  const schema = { type: "object", properties: { Größe: { type: "number" } } };
  const responseFormat = { type: "json_schema", name: "size", schema, strict: true } as const;
  expect(boundOf({ responseFormat })).toBeGreaterThanOrEqual(TOKENS_PER_REQUEST + TOKENS_FOR_FORMAT + inAscii(responseFormat).length);
  expect(boundOf({ responseFormat: { type: "json_object" } })).toBeGreaterThan(TOKENS_PER_REQUEST + TOKENS_FOR_FORMAT);
});

test("tools of a megabyte are bounded in linear time, not quadratic", () => {
  const field = { type: "string", description: "what the field is for ".repeat(4) };
  const properties = Object.fromEntries(Array.from({ length: 8_000 }, (_, nth) => [`property_${nth}`, field]));
  const tools = [{ name: "f", parameters: { type: "object", properties } }];
  expect(JSON.stringify(tools).length).toBeGreaterThan(1_000_000);
  const startedMs = performance.now();
  boundOf({ tools }, "claude");
  // About 4 ms; quadratic time would be minutes, which would block every other request.
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});
