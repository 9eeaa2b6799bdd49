// The ceiling is the most a prompt can cost, and the affordable limit is really affordable.

import fc from "fast-check";
import { expect, test } from "vitest";
import { isAppError } from "@/lib/base/errors";
import { nanoUsd } from "@/lib/base/money";
import { builtInModels } from "@/lib/providers/catalogue-data";
import { buildGeminiRequest } from "@/lib/providers/gemini/request";
import { tierAt } from "@/lib/providers/prices";
import { inputBoundForCall, TOKENS_FOR_TOOLS } from "@/lib/providers/token-bound";
import type { Prompt } from "./prompt-body";
import { insufficientBalance, quotePrompt } from "./quote";

const anyModel = fc.constantFrom(...builtInModels);
const promptOf = (model: Prompt["model"], content: string, maxOutputTokens: number): Prompt => ({
  model,
  messages: [{ role: "user", content }],
  maxOutputTokens,
  inputField: "prompt",
  options: {},
  stream: false,
  maxCost: undefined,
});

test("the ceiling is the bound of the input and the whole output at the model's prices", () => {
  fc.assert(
    fc.property(anyModel, fc.string(), fc.integer({ min: 1, max: 100_000 }), (model, content, maxOutputTokens) => {
      const { ceiling, inputBound } = quotePrompt(promptOf(model, content, maxOutputTokens));
      expect(inputBound).toBe(
        Math.min(inputBoundForCall({ messages: [{ role: "user", content }] }, model.tokenBound), model.contextWindow),
      );
      // A write may be billed where the provider writes by itself, as OpenAI does unless it is asked not to.
      const { input, cacheWrite, output } = tierAt(model.prices, inputBound);
      const dearest = model.routes[0].provider !== "anthropic" && cacheWrite > input ? cacheWrite : input;
      expect(ceiling).toBe(BigInt(inputBound) * dearest + BigInt(maxOutputTokens + model.reasoningCeiling) * output);
    }),
  );
});

test("what Gemini is told in descriptions, since its schemas have no keyword for it, is held as it is sent", () => {
  const model = builtInModels.find(({ routes }) => routes[0].provider === "gemini");
  if (!model) throw new Error("no model");
  const properties = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, { type: "string", minLength: index }]));
  const prompt = promptOf(model, "Hi", 1);
  const quoted = quotePrompt({ ...prompt, options: { tools: [{ name: "f", parameters: { type: "object", properties } }] } });
  const call = { messages: prompt.messages, maxOutputTokens: 1, stream: false, tools: [{ name: "f", parameters: { properties } }] };
  const sent = JSON.parse(buildGeminiRequest(call, "gemini-2.5-flash", "key").body) as { tools: object };
  expect(quoted.inputBound).toBeGreaterThan(JSON.stringify(sent.tools).length + TOKENS_FOR_TOOLS);
});

test("a prompt longer than the context window is held for the window only", () => {
  const model = builtInModels[0];
  if (!model) throw new Error("no model");
  expect(quotePrompt(promptOf(model, "a ".repeat(model.contextWindow), 1)).inputBound).toBe(model.contextWindow);
});

test("affordableMaxTokens fits the available balance, and one more does not", () => {
  fc.assert(
    fc.property(anyModel, fc.string(), fc.bigInt({ min: 0n, max: 10n ** 10n }), (model, content, available) => {
      const quote = quotePrompt(promptOf(model, content, model.maxOutputTokens));
      fc.pre(quote.ceiling > available);
      const { details } = insufficientBalance(nanoUsd(available), quote, "https://x/deposit");
      const affordable = Number(details.affordableMaxTokens);
      expect(details.deficit).toBe(quote.ceiling - available);
      expect(affordable).toBeGreaterThanOrEqual(0);
      expect(affordable).toBeLessThan(model.maxOutputTokens);
      if (affordable > 0) expect(quotePrompt(promptOf(model, content, affordable)).ceiling).toBeLessThanOrEqual(available);
      expect(quotePrompt(promptOf(model, content, affordable + 1)).ceiling).toBeGreaterThan(available);
    }),
  );
});

test("a maxCost of the ceiling is enough, one nano-dollar less is not", () => {
  fc.assert(
    fc.property(anyModel, fc.string(), (model, content) => {
      const prompt = promptOf(model, content, 16);
      const { ceiling } = quotePrompt(prompt);
      expect(quotePrompt({ ...prompt, maxCost: ceiling }).ceiling).toBe(ceiling);
      try {
        quotePrompt({ ...prompt, maxCost: nanoUsd(ceiling - 1n) });
        expect.unreachable();
      } catch (error) {
        expect(isAppError(error) && error.code).toBe("INVALID_REQUEST");
      }
    }),
  );
});
