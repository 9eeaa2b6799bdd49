// Each simulated vendor, read by the client package that users of the real vendor use.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createDeepSeek } from "@ai-sdk/deepseek";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createXai } from "@ai-sdk/xai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestModels, type TestModels } from "./testing";
import { countInputTokens, countTokens } from "./tokens";

let models: TestModels;
beforeAll(async () => {
  models = await startTestModels();
});
afterAll(() => models?.stop());

const vendors = {
  openai: () => createOpenAI({ baseURL: models.baseUrls.openai, apiKey: models.apiKey }).chat("gpt-4-turbo"),
  "openai, a reasoning model": () => createOpenAI({ baseURL: models.baseUrls.openai, apiKey: models.apiKey }).chat("gpt-5-mini"),
  anthropic: () => createAnthropic({ baseURL: `${models.baseUrls.anthropic}/v1`, apiKey: models.apiKey })("claude-sonnet-4-5"),
  gemini: () => createGoogleGenerativeAI({ baseURL: `${models.baseUrls.gemini}/v1beta`, apiKey: models.apiKey })("gemini-2.5-flash"),
  xai: () => createXai({ baseURL: models.baseUrls.xai, apiKey: models.apiKey }).chat("grok-4-fast"),
  deepseek: () => createDeepSeek({ baseURL: models.baseUrls.deepseek, apiKey: models.apiKey })("deepseek-chat"),
};
type LanguageModel = ReturnType<(typeof vendors)[keyof typeof vendors]>;

type Options = Parameters<LanguageModel["doGenerate"]>[0];

interface Called {
  id: string;
  name: string;
  input: string;
}

interface Read {
  text: string;
  calls: Called[];
  finish: string | undefined;
  inputTokens: number | undefined;
  cachedTokens: number | undefined;
  outputTokens: number | undefined;
}

function prompt(text: string, maxOutputTokens: number): Options {
  return {
    maxOutputTokens,
    prompt: [
      { role: "system" as const, content: "Be brief." },
      { role: "user" as const, content: [{ type: "text" as const, text }] },
    ],
  };
}

async function readJson(model: LanguageModel, options: Options): Promise<Read> {
  const { content, finishReason, usage } = await model.doGenerate(options);
  return {
    text: content.map((part) => (part.type === "text" ? part.text : "")).join(""),
    calls: content.flatMap((part) => (part.type === "tool-call" ? [toCalled(part)] : [])),
    finish: finishReason.unified,
    inputTokens: usage.inputTokens.total,
    cachedTokens: usage.inputTokens.cacheRead,
    outputTokens: usage.outputTokens.total,
  };
}

async function readStream(model: LanguageModel, options: Options): Promise<Read> {
  const { stream } = await model.doStream(options);
  const read: Read = { text: "", calls: [], finish: undefined, inputTokens: undefined, cachedTokens: undefined, outputTokens: undefined };
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await reader.read();
    if (done) return read;
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") read.text += part.delta;
    if (part.type === "tool-call") read.calls.push(toCalled(part));
    if (part.type !== "finish") continue;
    read.finish = part.finishReason.unified;
    read.inputTokens = part.usage.inputTokens.total;
    read.cachedTokens = part.usage.inputTokens.cacheRead;
    read.outputTokens = part.usage.outputTokens.total;
  }
}

const toCalled = (part: { toolCallId: string; toolName: string; input: string }): Called => ({
  id: part.toolCallId,
  name: part.toolName,
  input: part.input,
});

/** Only the ids differ between calls. */
const withoutIds = (read: Read) => ({ ...read, calls: read.calls.map(({ name, input }) => ({ name, input })) });

const weatherSchema = {
  type: "object" as const,
  properties: {
    city: { type: "string" as const },
    unit: { type: "string" as const, enum: ["celsius", "fahrenheit"] },
    days: { type: "integer" as const },
    note: { type: "string" as const },
  },
  required: ["city", "unit", "days"],
};
const tools: Options["tools"] = [
  { type: "function", name: "get_weather", description: "The weather at a place.", inputSchema: weatherSchema },
  {
    type: "function",
    name: "get_time",
    inputSchema: { type: "object", properties: { exact: { type: "boolean" } }, required: ["exact"] },
  },
];
const weatherInput = '{"city":"example","unit":"celsius","days":1}';

describe.each(Object.entries(vendors))("%s", (_name, createModel) => {
  test("JSON and stream have the same text and usage", async () => {
    const question = "Why is the sky blue? 🌈 ¿Por qué? なぜ";
    const json = await readJson(createModel(), prompt(question, 1000));
    expect(json.text).toMatch(/^Simulated answer from \S+: you asked “Why is the sky blue\?/);
    expect(json.finish).toBe("stop");
    expect(json.inputTokens).toBe(countInputTokens([{ text: "Be brief." }, { text: question }]));
    expect(json.outputTokens).toBe(countTokens(json.text));
    expect(await readStream(createModel(), prompt(question, 1000))).toEqual(json);
  });

  test("the request's limit cuts the answer, and the finish reason says so", async () => {
    const json = await readJson(createModel(), prompt("Count. [[simulate: tokens=500]]", 16));
    expect(json).toMatchObject({ finish: "length", outputTokens: 16 });
    expect(countTokens(json.text)).toBe(16);
    expect(await readStream(createModel(), prompt("Count. [[simulate: tokens=500]]", 16))).toEqual(json);
  });

  test("reasoning and cached input are counted in this vendor's fields", async () => {
    const question = 'Think. [[simulate: reasoning=50 cached=3 text="Done."]]';
    const json = await readJson(createModel(), prompt(question, 1000));
    expect(json).toMatchObject({ text: "Done.", outputTokens: 52, cachedTokens: 3 });
    expect(json.inputTokens).toBe(countInputTokens([{ text: "Be brief." }, { text: question }]));
    expect(await readStream(createModel(), prompt(question, 1000))).toEqual(json);
  });

  test("a tool is called when the prompt asks for it, in JSON and stream, and its result is answered with text", async () => {
    const question = "Shall I take an umbrella? [[simulate: tool]]";
    const request = { ...prompt(question, 1000), tools };
    const json = await readJson(createModel(), request);
    expect(withoutIds(json)).toMatchObject({ text: "", finish: "tool-calls", calls: [{ name: "get_weather", input: weatherInput }] });
    expect(json.outputTokens).toBe(countTokens("get_weather") + countTokens(weatherInput));
    expect(json.inputTokens).toBeGreaterThan(countInputTokens([{ text: "Be brief." }, { text: question }]) + 40);
    expect(withoutIds(await readStream(createModel(), request))).toEqual(withoutIds(json));

    const [call] = json.calls;
    if (call === undefined) throw new Error("no call");
    const called = { toolCallId: call.id, toolName: call.name };
    const answered: Options = {
      ...request,
      prompt: [
        ...request.prompt,
        { role: "assistant", content: [{ type: "tool-call", ...called, input: JSON.parse(call.input) as unknown }] },
        { role: "tool", content: [{ type: "tool-result", ...called, output: { type: "text", value: "It rains in Oslo." } }] },
      ],
    };
    const end = await readJson(createModel(), answered);
    expect(end).toMatchObject({ finish: "stop", calls: [] });
    expect(end.text).toContain("The function said: “");
    expect(end.text).toContain("It rains in Oslo.");
    expect(end.inputTokens).toBeGreaterThan((json.inputTokens ?? 0) + countTokens(weatherInput));
    expect(await readStream(createModel(), answered)).toEqual(end);
  });

  test("two tools are called at once, with the arguments from the prompt", async () => {
    const request = { ...prompt('x [[simulate: tool=get_time,get_weather args="{\\"exact\\":false}"]]', 1000), tools };
    const json = await readJson(createModel(), request);
    expect(json.calls.map(({ name, input }) => [name, JSON.parse(input) as unknown])).toEqual([
      ["get_time", { exact: false }],
      ["get_weather", { exact: false }],
    ]);
    expect(new Set(json.calls.map(({ id }) => id)).size).toBe(2);
    expect(withoutIds(await readStream(createModel(), request))).toEqual(withoutIds(json));
  });

  test("the tool choice forces or forbids a call", async () => {
    const read = (toolChoice: Options["toolChoice"], text = "x") => readJson(createModel(), { ...prompt(text, 1000), tools, toolChoice });
    expect((await read({ type: "auto" })).calls).toEqual([]);
    expect((await read({ type: "required" })).calls).toMatchObject([{ name: "get_weather" }]);
    expect((await read({ type: "tool", toolName: "get_time" })).calls).toMatchObject([{ name: "get_time", input: '{"exact":true}' }]);
    expect(await read({ type: "none" }, "x [[simulate: tool]]")).toMatchObject({ calls: [], finish: "stop" });
  });

  test("a JSON format is answered with JSON", async () => {
    const schema = { ...weatherSchema, additionalProperties: false };
    const json = await readJson(createModel(), {
      ...prompt("Say it as JSON.", 1000),
      responseFormat: { type: "json", schema, name: "weather" },
    });
    expect(json.finish).toBe("stop");
    expect(JSON.parse(json.text)).toEqual(expect.any(Object));
  });
});

test("a stop sequence ends the answer before it", async () => {
  for (const [name, createModel] of Object.entries(vendors)) {
    // The reasoning models of OpenAI and xAI refuse `stop`.
    if (name.includes("reasoning") || name === "xai") continue;
    const request = { ...prompt('x [[simulate: text="one two three"]]', 100), stopSequences: [" three", " two"] };
    const json = await readJson(createModel(), request);
    expect(json).toMatchObject({ text: "one", finish: "stop", outputTokens: 1 });
    expect(await readStream(createModel(), request)).toEqual(json);
  }
});

test("reasoning counts against the limit except at xAI", async () => {
  const question = "Think hard. [[simulate: reasoning=100]]";
  expect(await readJson(vendors.gemini(), prompt(question, 20))).toMatchObject({ text: "", finish: "length", outputTokens: 20 });
  expect(await readJson(vendors.openai(), prompt(question, 20))).toMatchObject({ text: "", finish: "length", outputTokens: 20 });
  expect(await readJson(vendors.xai(), prompt(question, 20))).toMatchObject({ finish: "length", outputTokens: 120 });
});

test("an answer ended by a content filter says so", async () => {
  for (const createModel of Object.values(vendors)) {
    expect(await readJson(createModel(), prompt("x [[simulate: filtered]]", 100))).toMatchObject({ finish: "content-filter" });
    expect(await readStream(createModel(), prompt("x [[simulate: filtered]]", 100))).toMatchObject({ finish: "content-filter" });
  }
});
