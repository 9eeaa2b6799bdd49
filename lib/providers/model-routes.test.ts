// A model with several routes costs the dearest of them, and a model whose reasoning nothing bounds is not sold.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { nanoUsd } from "@/lib/base/money";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import { buildCatalogue, checkLivePrices, checkReasoningCeilings } from "./catalogue";
import { builtInModels } from "./catalogue-data";
import { endpointAt, providersInCode } from "./endpoints";
import type { ModelRoute } from "./model-route";
import { mergeModels } from "./models-file";
import { costOf, dearestOf, fillPrices, type Prices, type WrittenTier } from "./prices";

const price = fc.nat(50).map((value) => nanoUsd(value));
const kindsOfPrice = fc.record({ input: price, output: price, cacheRead: price, cacheWrite: price, image: price, reasoning: price });
const somePrices = fc
  .tuple(kindsOfPrice, fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 3 }), fc.infiniteStream(kindsOfPrice))
  .map(([base, lines, more]): Prices => {
    const tiers = lines
      .sort((one, other) => one - other)
      .map((fromInputTokens): WrittenTier => ({ ...more.next().value, fromInputTokens }));
    return fillPrices(base, tiers);
  });
const someUsage = fc
  .record({ plain: fc.nat(20), cached: fc.nat(10), written: fc.nat(10), images: fc.nat(10), answer: fc.nat(20), thought: fc.nat(20) })
  .map(({ plain, cached, written, images, answer, thought }) => ({
    ...noTokens,
    inputTokens: plain + cached + written + images,
    outputTokens: answer + thought,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    cacheWrite1hTokens: 0,
    imageTokens: images,
    reasoningTokens: thought,
  }));

test("the dearest of several costs is never below any of them, whatever their kinds and tiers", () => {
  fc.assert(
    fc.property(somePrices, somePrices, someUsage, (one, other, usage) => {
      const dearest = costOf(dearestOf([one, other]), usage);
      for (const prices of [one, other]) {
        const { inputCost, outputCost } = costOf(prices, usage);
        expect(dearest.inputCost).toBeGreaterThanOrEqual(inputCost);
        expect(dearest.outputCost).toBeGreaterThanOrEqual(outputCost);
      }
    }),
    { numRuns: 500 },
  );
  const alone = fillPrices({ input: nanoUsd(1), output: nanoUsd(2) }, [{ input: nanoUsd(3), output: nanoUsd(1), fromInputTokens: 9 }]);
  expect(dearestOf([alone])).toEqual(alone);
});

const cost = (input: string, output: string, long?: string) => [
  { kind: "input", per1M: input },
  { kind: "output", per1M: output },
  ...(long === undefined
    ? []
    : [
        { kind: "input", per1M: long, fromInputTokens: 1_000 },
        { kind: "output", per1M: output, fromInputTokens: 1_000 },
      ]),
];
const model = { id: "open-model", contextWindow: 8_000, maxOutputTokens: 500, inputPrice: "1", outputPrice: "2" };
const groq = { provider: "groq", wireName: "a", providerCosts: cost("0.4", "2") };
const fireworks = { provider: "fireworks", wireName: "b", providerCosts: cost("0.5", "1", "1.5") };
const merged = (fields: object, providers?: readonly string[]) => {
  const found = mergeModels([], JSON.stringify({ models: [{ ...model, ...fields }] }), providers)[0];
  if (!found) throw new Error("no model");
  return found;
};

test("a model's costs are the dearest of its routes, kind by kind and tier by tier, and live mode compares its price with them", () => {
  const { costs, routes } = merged({ routes: [groq, fireworks] });
  expect(costs).toMatchObject([
    { input: 500n, output: 2_000n },
    { fromInputTokens: 1_000, input: 1_500n, output: 2_000n },
  ]);
  expect(routes).toEqual([
    { provider: "groq", wireName: "a" },
    { provider: "fireworks", wireName: "b" },
  ]);
  expect(() => checkLivePrices([merged({ routes: [groq, fireworks] })])).toThrow("open-model: input from 1000 input tokens on is sold at");
  expect(() => checkLivePrices([merged({ routes: [groq, fireworks], inputPrice: "1.5" })])).not.toThrow();
});

test("costs beside the routes count for those that name none, and beside those that do", () => {
  const plain = { provider: "openai", wireName: "c" };
  const own = { providerInputCost: "0.45", providerOutputCost: "3" };
  expect(merged({ routes: [groq, plain], ...own }).costs).toMatchObject([{ input: 450n, output: 3_000n }]);
  expect(merged({ routes: [groq], ...own }).costs).toMatchObject([{ input: 450n, output: 3_000n }]);
  expect(() => merged({ routes: [groq, plain] })).toThrow("providerInputCost: a new model needs it");
  const known = mergeModels(builtInModels, JSON.stringify({ models: [{ id: "gpt-4o", routes: [groq] }] }));
  expect(known.find(({ id }) => id === "gpt-4o")?.costs).toMatchObject([{ input: 400n, output: 2_000n }]);
});

test("a route names a provider that there is; only an entry has a dialect", () => {
  const acme = { ...groq, provider: "acme" };
  expect(() => merged({ routes: [groq, acme] })).toThrow(
    'models[0] "open-model": routes.1.provider: no provider has the name "acme"; there are openai, anthropic,',
  );
  expect(merged({ routes: [acme] }, [...providersInCode, "acme"]).routes[0].provider).toBe("acme");
  const dialect = { seed: "none" };
  expect(merged({ routes: [{ ...groq, dialect }] }).routes[0].dialect).toEqual(dialect);
  expect(() => merged({ routes: [{ ...groq, provider: "xai", dialect }] })).toThrow("routes.0.dialect: only providers that are entries");
});

test("a built-in model with two hosts costs the dearer", () => {
  const found = builtInModels.find(({ id }) => id === "gpt-oss-20b");
  expect(found?.routes.map(({ provider }) => provider)).toEqual(["groq", "fireworks"]);
  expect(found?.costs).toMatchObject([{ input: 75n, output: 300n, cacheRead: 40n }]);
});

const offered = (route: ModelRoute, reasoningCeiling?: number) => {
  const folder = mkdtempSync(join(tmpdir(), "models-file-"));
  try {
    const modelsFile = join(folder, "models.json");
    writeFileSync(modelsFile, JSON.stringify({ models: [{ ...model, routes: [{ ...groq, ...route }], reasoningCeiling }] }));
    const endpoint = (provider: string) => endpointAt(provider, "http://127.0.0.1:1", "k");
    const endpoints = new Map(["openai", "xai", "gemini", "anthropic"].map((id) => [id, endpoint(id)]));
    const { byName } = buildCatalogue({ endpoints, modelsFile, todayMs: 0 });
    return byName.get("open-model") ?? expect.fail("it is not offered");
  } finally {
    rmSync(folder, { recursive: true });
  }
};

test.each([
  ["xai", "grok-4.3", false],
  ["xai", "grok-code-fast-1", false],
  ["xai", "grok-3-mini", false],
  ["xai", "grok-4.20-non-reasoning", true],
  ["xai", "grok-3", true],
  ["openai", "x-ai/grok-4.3", false],
  ["openai", "gpt-6-sol", true],
  ["anthropic", "claude-opus-5-5", true],
  ["gemini", "gemini-3.1-pro-preview", true],
])("%s/%s: its output limit bounds its reasoning: %s", (provider, wireName, isBounded) => {
  const check = (ceiling?: number) => () => checkReasoningCeilings([offered({ provider, wireName }, ceiling)]);
  if (isBounded) expect(check()).not.toThrow();
  else expect(check()).toThrow(/correct them in MODELS_FILE:\n {2}open-model: write "reasoningCeiling"/);
  if (!isBounded) expect(check(0)).toThrow();
  expect(check(30_000)).not.toThrow();
});

test("an entry that says that its limit does not include reasoning needs a ceiling as well, and all built-in models may be sold", () => {
  const model = offered({ provider: "openai", wireName: "thinker" });
  const entryOf = (limitIncludesReasoning: boolean) => ({ dialect: { limitIncludesReasoning } }) as ModelRoute["entry"];
  const withEntry = (is: boolean) => ({ ...model, routes: [{ ...model.routes[0], entry: entryOf(is) }] as const });
  expect(() => checkReasoningCeilings([withEntry(true)])).not.toThrow();
  expect(() => checkReasoningCeilings([withEntry(false)])).toThrow("open-model");
  expect(() => checkReasoningCeilings(builtInModels)).not.toThrow();
});
