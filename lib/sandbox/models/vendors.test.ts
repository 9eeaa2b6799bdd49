// Each simulated vendor, read back by the package that its real counterpart's users read it with.

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

interface Read {
  text: string;
  finish: string | undefined;
  inputTokens: number | undefined;
  cachedTokens: number | undefined;
  outputTokens: number | undefined;
}

function prompt(text: string, maxOutputTokens: number) {
  return {
    maxOutputTokens,
    prompt: [
      { role: "system" as const, content: "Be brief." },
      { role: "user" as const, content: [{ type: "text" as const, text }] },
    ],
  };
}

async function readJson(model: LanguageModel, text: string, maxOutputTokens: number): Promise<Read> {
  const { content, finishReason, usage } = await model.doGenerate(prompt(text, maxOutputTokens));
  return {
    text: content.map((part) => (part.type === "text" ? part.text : "")).join(""),
    finish: finishReason.unified,
    inputTokens: usage.inputTokens.total,
    cachedTokens: usage.inputTokens.cacheRead,
    outputTokens: usage.outputTokens.total,
  };
}

async function readStream(model: LanguageModel, text: string, maxOutputTokens: number): Promise<Read> {
  const { stream } = await model.doStream(prompt(text, maxOutputTokens));
  const read: Read = { text: "", finish: undefined, inputTokens: undefined, cachedTokens: undefined, outputTokens: undefined };
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await reader.read();
    if (done) return read;
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") read.text += part.delta;
    if (part.type !== "finish") continue;
    read.finish = part.finishReason.unified;
    read.inputTokens = part.usage.inputTokens.total;
    read.cachedTokens = part.usage.inputTokens.cacheRead;
    read.outputTokens = part.usage.outputTokens.total;
  }
}

describe.each(Object.entries(vendors))("%s", (_name, makeModel) => {
  test("JSON and stream say the same text and the same usage", async () => {
    const question = "Why is the sky blue? 🌈 ¿Por qué? なぜ";
    const json = await readJson(makeModel(), question, 1000);
    expect(json.text).toMatch(/^Simulated answer from \S+: you asked “Why is the sky blue\?/);
    expect(json.finish).toBe("stop");
    expect(json.inputTokens).toBe(countInputTokens([{ text: "Be brief." }, { text: question }]));
    expect(json.outputTokens).toBe(countTokens(json.text));
    expect(await readStream(makeModel(), question, 1000)).toEqual(json);
  });

  test("the limit of the request cuts the answer, and the finish reason says so", async () => {
    const json = await readJson(makeModel(), "Count. [[simulate: tokens=500]]", 16);
    expect(json).toMatchObject({ finish: "length", outputTokens: 16 });
    expect(countTokens(json.text)).toBe(16);
    expect(await readStream(makeModel(), "Count. [[simulate: tokens=500]]", 16)).toEqual(json);
  });

  test("reasoning and cached input are counted where this vendor counts them", async () => {
    const question = 'Think. [[simulate: reasoning=50 cached=3 text="Done."]]';
    const json = await readJson(makeModel(), question, 1000);
    expect(json).toMatchObject({ text: "Done.", outputTokens: 52, cachedTokens: 3 });
    expect(json.inputTokens).toBe(countInputTokens([{ text: "Be brief." }, { text: question }]));
    expect(await readStream(makeModel(), question, 1000)).toEqual(json);
  });
});

test("reasoning uses up the limit everywhere but at xAI", async () => {
  const question = "Think hard. [[simulate: reasoning=100]]";
  expect(await readJson(vendors.gemini(), question, 20)).toMatchObject({ text: "", finish: "length", outputTokens: 20 });
  expect(await readJson(vendors.openai(), question, 20)).toMatchObject({ text: "", finish: "length", outputTokens: 20 });
  expect(await readJson(vendors.xai(), question, 20)).toMatchObject({ finish: "length", outputTokens: 120 });
});

test("an answer that a content filter ended says so", async () => {
  for (const makeModel of Object.values(vendors)) {
    expect(await readJson(makeModel(), "x [[simulate: filtered]]", 100)).toMatchObject({ finish: "content-filter" });
    expect(await readStream(makeModel(), "x [[simulate: filtered]]", 100)).toMatchObject({ finish: "content-filter" });
  }
});
