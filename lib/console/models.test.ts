// The model that is shown to somebody who has chosen none.

import { expect, test } from "vitest";
import { parseUsd } from "@/lib/base/money";
import { defaultModel } from "@/lib/providers/catalogue";
import { setSimulatedProviders } from "@/lib/providers/endpoints";
import { findModelPrice, listModelPrices } from "./models";

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
