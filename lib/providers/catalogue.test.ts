// The catalogue's promises: the specification's names and prices, no price below cost, no ambiguous name, and only models that can
// be served.

import { afterEach, expect, test } from "vitest";
import { readConfig } from "@/lib/base/config";
import { nanoUsd } from "@/lib/base/money";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { buildCatalogue, checkLivePrices, findModel, listModels, priceVersion, supportedModelNames } from "./catalogue";
import { builtInModels } from "./catalogue-data";
import { embeddingModels } from "./catalogue-data/embedding";
import { type Endpoints, endpointAt, setEndpoints } from "./endpoints";
import { mergeModels } from "./models-file";
import { fillPrices } from "./prices";
import { everyProvider, newModel, todayMs, writeModelsFile } from "./testing/catalogues";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const modelsFile = (content: unknown): string => writeModelsFile(content, cleanups);

test("every model of the specification is listed, at its price for input and output alike", () => {
  const { byName } = buildCatalogue({ endpoints: everyProvider, todayMs });
  const prices = {
    "gpt-3.5-turbo": 2_000n,
    "gpt-4-turbo": 40_000n,
    "claude-sonnet-4-5": 18_000n,
    "gemini-2.5-flash": 3_000n,
    grok: 1_000n,
    "deepseek-chat": 1_000n,
  };
  for (const [name, price] of Object.entries(prices)) {
    expect(byName.get(name)?.prices).toEqual(fillPrices({ input: nanoUsd(price), output: nanoUsd(price) }));
  }
  expect(byName.get("gpt-4")?.id).toBe("gpt-4");
});

test("there are at least fourteen models, and each is sound", () => {
  expect(builtInModels.length).toBeGreaterThanOrEqual(14);
  for (const model of builtInModels) {
    expect(model.maxOutputTokens).toBeLessThanOrEqual(model.contextWindow);
    expect(model.defaultMaxTokens).toBe(Math.min(1024, model.maxOutputTokens));
    expect(model.description).toMatch(/^[^\n]{5,120}$/);
  }
});

test("every built-in model says on which day it was released, before it retires", () => {
  for (const { id, releasedOn, retirement } of [...builtInModels, ...embeddingModels]) {
    expect(releasedOn, id).toMatch(/^202[2-9]-\d\d-\d\d$/);
    const day = Date.parse(`${releasedOn}T00:00:00Z`);
    expect(new Date(day).toISOString().slice(0, 10), id).toBe(releasedOn);
    expect(day, id).toBeLessThan(retirement ? Date.parse(retirement.on) : Date.now());
  }
  // OpenAI dates its snapshots, Anthropic and Mistral their ids.
  const dayOf = (id: string) => builtInModels.find((model) => model.id === id)?.releasedOn;
  expect([dayOf("gpt-5.5"), dayOf("gpt-5.4-mini"), dayOf("gpt-4o-mini")]).toEqual(["2026-04-23", "2026-03-17", "2024-07-18"]);
  expect(dayOf("claude-sonnet-4-5")).toBe("2025-09-29");
});

test("no built-in model is sold below what its provider charges", () => {
  expect(() => checkLivePrices(builtInModels)).not.toThrow();
});

test("a price below cost is refused, and every such model is named", () => {
  const [first, second, third] = builtInModels;
  if (!first || !second || !third) throw new Error("the catalogue is empty");
  const models = [
    { ...first, prices: fillPrices({ ...first.prices[0], input: nanoUsd(1) }) },
    second,
    { ...third, prices: fillPrices({ ...third.prices[0], output: nanoUsd(2) }) },
  ];
  expect(() => checkLivePrices(models)).toThrow(new RegExp(`${first.id}: input.*\n.*${third.id}: output`));
});

test("a price that is below cost only for long prompts is refused, with the length and the kind; so is another line", () => {
  const [first] = builtInModels;
  if (!first) throw new Error("the catalogue is empty");
  const plain = { input: nanoUsd(10), output: nanoUsd(20) };
  const long = { input: nanoUsd(20), output: nanoUsd(30), cacheRead: nanoUsd(2), fromInputTokens: 272_000 };
  const check = (...tiers: (typeof long)[]) => {
    const model = { ...first, id: "tiered", costs: fillPrices(plain, [long]), prices: fillPrices(plain, tiers) };
    return () => checkLivePrices([model]);
  };
  expect(check(long)).not.toThrow();
  expect(check({ ...long, cacheRead: nanoUsd(10), fromInputTokens: 200_000 })).not.toThrow();
  expect(check({ ...long, fromInputTokens: 200_000 })).toThrow("cache_read from 200000 input tokens on is sold at $0.002");
  const refused = (kind: string, price: string, cost: string) =>
    `  tiered: ${kind} from 272000 input tokens on is sold at ${price} and costs ${cost} per million tokens`;
  expect(check()).toThrow(refused("input", "$0.01", "$0.02"));
  expect(check()).toThrow(refused("output", "$0.02", "$0.03"));
  expect(check({ ...long, cacheRead: nanoUsd(1) })).toThrow(refused("cache_read", "$0.001", "$0.002"));
  expect(check({ ...long, fromInputTokens: 272_001 })).toThrow(refused("input", "$0.01", "$0.02"));
  expect(check({ ...long, fromInputTokens: 272_001 })).not.toThrow("from 272001");
});

test("names and aliases are unique and case-sensitive", () => {
  const names = builtInModels.flatMap((model) => [model.id, ...model.aliases]);
  expect(new Set(names).size).toBe(names.length);
  const { byName } = buildCatalogue({ endpoints: everyProvider, todayMs });
  expect(byName.get("openai/gpt-4-turbo")?.id).toBe("gpt-4-turbo");
  expect(byName.get("gpt-4-turbo-2024-04-09")?.id).toBe("gpt-4-turbo");
  expect(byName.get("GPT-4-turbo")).toBeUndefined();
  expect(byName.get("__proto__")).toBeUndefined();
});

test("an alias that shadows a name is refused", () => {
  const path = modelsFile({ models: [{ ...newModel, aliases: ["gpt-4"] }] });
  expect(() => buildCatalogue({ endpoints: everyProvider, modelsFile: path, todayMs })).toThrow('"gpt-4" names both gpt-4 and my-model');
});

test("a model without a configured provider is not offered", () => {
  replaceSingleton("config", readConfig({}));
  cleanups.push(() => forgetSingleton("config"));
  cleanups.push(setEndpoints(new Map([["anthropic", endpointAt("anthropic", "http://127.0.0.1:1", "k")]])));
  expect(findModel("gpt-4")).toBeNull();
  expect(findModel("openai/gpt-4")).toBeNull();
  expect(findModel("claude-sonnet-4.5")?.id).toBe("claude-sonnet-4-5");
  expect(listModels().every((model) => model.routes.every((route) => route.provider === "anthropic"))).toBe(true);
  expect(supportedModelNames()).toEqual(listModels().map((model) => model.id));
});

test("routes to providers that are not configured are left out, the others keep their order", () => {
  const routes = [
    { provider: "xai", wireName: "a" },
    { provider: "openai", wireName: "b" },
    { provider: "deepseek", wireName: "c" },
  ];
  const path = modelsFile({ models: [{ ...newModel, routes }] });
  const endpoints: Endpoints = new Map([
    ["deepseek", endpointAt("deepseek", "http://127.0.0.1:1", "k")],
    ["openai", endpointAt("openai", "http://127.0.0.1:1", "k")],
  ]);
  expect(buildCatalogue({ endpoints, modelsFile: path, todayMs }).byName.get("my-model")?.routes).toEqual(routes.slice(1));
});

test("the models file adds models and overrides fields, with exact unit prices", () => {
  const path = modelsFile({
    models: [newModel, { id: "gpt-4o", inputPrice: 3, description: "Ours." }, { id: "gpt-4", releasedOn: "2023-06-13" }],
  });
  const { byName, models } = buildCatalogue({ endpoints: everyProvider, modelsFile: path, todayMs });
  expect(byName.get("my-model")).toMatchObject({
    prices: [{ input: 2n, output: 1_500n }],
    costs: [{ input: 0n, output: 1_499n }],
    defaultMaxTokens: 500,
    tokenBound: "bytes",
    aliases: [],
  });
  expect(byName.get("gpt-4o")).toMatchObject({
    prices: [{ input: 3_000n, output: 10_500n, cacheRead: 1_313n }],
    description: "Ours.",
    contextWindow: 128_000,
    releasedOn: "2024-05-13",
  });
  expect([byName.get("gpt-4")?.releasedOn, byName.get("my-model")?.releasedOn]).toEqual(["2023-06-13", undefined]);
  expect(models.at(-1)?.id).toBe("my-model");
});

test.each([
  [{ models: [{ ...newModel, inputPrice: "0.0001" }] }, 'models[0] "my-model": inputPrice: use at most 3 decimal places'],
  [{ models: [{ ...newModel, inputPrice: "cheap" }] }, "inputPrice: write USD per million tokens"],
  [{ models: [{ ...newModel, inputPrice: -1 }] }, "inputPrice: a price cannot be negative"],
  [{ models: [{ ...newModel, contextWindow: 0 }] }, 'models[0] "my-model": contextWindow:'],
  [{ models: [{ ...newModel, colour: "red" }] }, 'models[0] "my-model"'],
  [{ models: [{ ...newModel, routes: [] }] }, "routes"],
  [{ models: [{ ...newModel, routes: [{ provider: "acme", wireName: "x" }] }] }, "routes.0.provider"],
  [{ models: [{ id: "another" }] }, 'models[0] "another": routes: a new model needs it'],
  [{ models: [{ ...newModel, maxOutputTokens: 9_000 }] }, "maxOutputTokens: cannot exceed contextWindow"],
  [{ models: [{ ...newModel, defaultMaxTokens: 501 }] }, "defaultMaxTokens: cannot exceed maxOutputTokens"],
  [{ models: [{ ...newModel, releasedOn: "2026-02-30" }] }, "releasedOn: write a day, like 2027-01-14"],
  [{ models: [{ ...newModel, retiresOn: "soon" }] }, "retiresOn: write a day, like 2027-01-14"],
  [{ models: [{ ...newModel, successor: "gpt-5.4" }] }, "successor: it belongs to a date: write retiresOn beside it"],
  [{ models: [{ ...newModel, retiresOn: "2027-01-14", successor: "gpt-7" }] }, 'successor: "gpt-7" is not the id of another model'],
  [{ models: [newModel, newModel] }, 'models[1] "my-model": id: appears twice'],
  [{ models: [{ id: "gpt-4", routes: newModel.routes }] }, "new routes need providerInputCost"],
  ["{", "it is not JSON"],
  [[], "the file:"],
])("a mistake in the models file is named with its entry and field (%#)", (content, message) => {
  expect(() => mergeModels(builtInModels, typeof content === "string" ? content : JSON.stringify(content))).toThrow(message);
});

test("a models file that is missing is named", () => {
  expect(() => buildCatalogue({ endpoints: everyProvider, modelsFile: "/nowhere/models.json", todayMs })).toThrow(
    "MODELS_FILE /nowhere/models.json is not usable",
  );
});

test("a price version is named by model and prices, and by nothing else", () => {
  const plain = { input: nanoUsd(1), output: nanoUsd(2) };
  const price = { id: "m", prices: fillPrices(plain) };
  expect(priceVersion(price)).toMatch(/^pv_[0-9a-f]{16}$/);
  expect(priceVersion({ ...price })).toBe(priceVersion(price));
  const others = [
    { ...price, id: "n" },
    ...[
      fillPrices({ ...plain, input: nanoUsd(2) }),
      fillPrices({ ...plain, output: nanoUsd(1) }),
      fillPrices({ ...plain, cacheRead: nanoUsd(0) }),
      fillPrices({ ...plain, cacheWrite: nanoUsd(0) }),
      fillPrices(plain, [{ ...plain, cacheRead: nanoUsd(0), fromInputTokens: 10 }]),
      fillPrices(plain, [{ ...plain, cacheRead: nanoUsd(0), fromInputTokens: 11 }]),
    ].map((prices) => ({ id: "m", prices })),
  ].map(priceVersion);
  expect(new Set([priceVersion(price), ...others]).size).toBe(8);
  // As it was before there were kinds: charges of then name it.
  expect(priceVersion(price)).toBe("pv_ca30489e31fef8ef");
});
