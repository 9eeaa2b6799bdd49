// The model that is shown to somebody who has chosen none.

import { expect, test } from "vitest";
import { retirementText } from "@/components/models/model-row";
import { parseUsd } from "@/lib/base/money";
import { defaultModel } from "@/lib/providers/catalogue";
import { setSimulatedProviders } from "@/lib/providers/endpoints";
import { findModelPrice, listModelPrices } from "./models";
import { pricePolicyText, readPricePolicy } from "./price-policy";

const everywhere = "http://127.0.0.1:9";

test("with every provider the default model costs less than five dollars for a million tokens of output", () => {
  setSimulatedProviders({ openai: everywhere, anthropic: everywhere, gemini: everywhere, xai: everywhere, deepseek: everywhere });
  const models = listModelPrices();
  expect(parseUsd(defaultModel(models).outputPrice)).toBeLessThan(parseUsd("5"));
  expect(findModelPrice(models, `google/${defaultModel(models).id}`)).toBe(defaultModel(models));
  expect(findModelPrice(models, "no-such-model")).toBeNull();
});

test.each(["openai", "anthropic", "gemini", "xai", "deepseek"] as const)(
  "with %s alone it is a model of theirs that can be called",
  (provider) => {
    setSimulatedProviders({ [provider]: everywhere });
    const models = listModelPrices();
    expect(models).toContain(defaultModel(models));
    expect(parseUsd(defaultModel(models).outputPrice)).toBeLessThan(parseUsd("6"));
  },
);

// gpt-4 ended at OpenAI on 2026-10-23: developers.openai.com/api/docs/deprecations. A simulated provider serves it on.
test("current models lead, the newest first; what its vendor has retired comes last and says so", () => {
  setSimulatedProviders({ openai: everywhere, anthropic: everywhere, gemini: everywhere, xai: everywhere, deepseek: everywhere });
  const models = listModelPrices();
  const today = "2026-11-28";
  const retired = models.filter(({ retiresOn }) => retiresOn !== undefined && retiresOn < today);
  expect(retired.map(({ id }) => id)).toEqual(expect.arrayContaining(["gpt-4", "gpt-3.5-turbo", "grok"]));
  expect(models.slice(-retired.length)).toEqual(retired);
  expect(retired.map((model) => retirementText(model, today))).toEqual(
    retired.map(({ provider, retiresOn }) => `Retired at ${provider} on ${retiresOn}`),
  );
  const current = models.filter((model) => !retired.includes(model) && model.type === undefined).map(({ releasedOn = "" }) => releasedOn);
  expect(current).toEqual(current.toSorted().reverse());
});

test("the price policy is told from the prices that are charged", () => {
  setSimulatedProviders({ openai: everywhere, anthropic: everywhere, gemini: everywhere, xai: everywhere, deepseek: everywhere });
  const policy = readPricePolicy();
  expect(policy.marginPercent).toBe(5);
  // Those of the specification.
  expect(policy.ownPrices).toEqual(
    expect.arrayContaining(["gpt-3.5-turbo", "gpt-4-turbo", "claude-sonnet-4-5", "gemini-2.5-flash", "grok", "deepseek-chat"]),
  );
  expect(policy.ownPrices).not.toContain("gpt-4o");
  expect(pricePolicyText({ marginPercent: 5, ownPrices: ["a"] }, 3)).toBe(
    "Models cost the provider’s list price plus 5%, except one with a fixed price.",
  );
  expect(pricePolicyText({ marginPercent: 5, ownPrices: [] }, 3)).toBe("Every model costs the provider’s list price plus 5%.");
});
