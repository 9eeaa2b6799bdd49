// Repeated prefixes are read from the cache, and written into it where the vendor bills that.

import { expect, test } from "vitest";
import { PromptCaches } from "./prompt-caches";
import type { SimulatedCall } from "./vendor";

const long = "word ".repeat(2_500);
const callOf = (model: string, texts: string[], cache?: SimulatedCall["cache"]): SimulatedCall => ({
  ...{ model, stream: false, maxOutputTokens: undefined, temperature: undefined, tools: [], toolChoice: { mode: "auto" } },
  ...{ parallelToolCalls: true, stop: [], json: undefined, wantsUsage: true, cache },
  messages: texts.map((text) => ({ role: "user", text })),
});

test("OpenAI reads a prefix in steps of 128 tokens, and bills writes since GPT-5.6 only", () => {
  const caches = new PromptCaches();
  for (const model of ["gpt-4o", "gpt-6-sol"]) {
    const first = caches.count({ provider: "openai" }, callOf(model, [long]));
    expect(first).toMatchObject({ read: 0, written: model === "gpt-4o" ? 0 : expect.any(Number) });
    const { read, written } = caches.count({ provider: "openai" }, callOf(model, [long, long]));
    expect(read).toBeGreaterThanOrEqual(1_024);
    expect(read % 128).toBe(0);
    expect(written > 0).toBe(model === "gpt-6-sol");
  }
});

test("nothing is cached of a short prompt, without breakpoints, or of another scope", () => {
  const caches = new PromptCaches();
  const nothing = { read: 0, written: 0, writtenForHours: 0 };
  for (let time = 0; time < 2; time++) {
    expect(caches.count({ provider: "openai" }, callOf("gpt-6-sol", ["Hi"]))).toEqual(nothing);
    expect(caches.count({ provider: "openai" }, callOf("gpt-6-sol", [long], { isOff: true }))).toEqual(nothing);
    expect(caches.count({ provider: "anthropic" }, callOf("claude-opus-5-5", [long]))).toEqual(nothing);
  }
  caches.count({ provider: "deepseek" }, callOf("deepseek-chat", [long], { scope: "one" }));
  expect(caches.count({ provider: "deepseek" }, callOf("deepseek-chat", [long], { scope: "other" })).read).toBe(0);
  expect(caches.count({ provider: "deepseek" }, callOf("deepseek-chat", [long], { scope: "one" })).read).toBeGreaterThan(1_024);
});

test("Anthropic writes and reads up to the mark, for minutes or for hours", () => {
  const caches = new PromptCaches();
  const marked = callOf("claude-opus-5-5", [long, "Hi"], { upTo: 1, forHours: true });
  const { writtenForHours } = caches.count({ provider: "anthropic" }, marked);
  expect(writtenForHours).toBeGreaterThan(1_024);
  expect(caches.count({ provider: "anthropic" }, marked)).toEqual({ read: writtenForHours, written: 0, writtenForHours: 0 });
});
