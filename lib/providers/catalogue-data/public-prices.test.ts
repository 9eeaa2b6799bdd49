// Public lists are read in both forms, and what differs from our costs is found kind by kind.

import { expect, test } from "vitest";
import { nanoUsd } from "@/lib/base/money";
import { fillPrices } from "../prices";
import { modelAt } from "../testing/call-kit";
import type { Model } from "../types";
import { comparePrices, readPublicPrices } from "./public-prices";

const litellm = JSON.stringify({
  sample_spec: { input_cost_per_token: 0 },
  "wire-0": {
    input_cost_per_token: 2e-6,
    output_cost_per_token: 1e-5,
    cache_read_input_token_cost: 2e-7,
    cache_creation_input_token_cost: 2.5e-6,
    cache_creation_input_token_cost_above_1hr: 4e-6,
  },
});
const genai = JSON.stringify([
  {
    id: "openai",
    models: [
      {
        id: "wire-0",
        prices: [
          { constraint: null, prices: { input_mtok: 1, output_mtok: 10 } },
          {
            constraint: { start_time: "01:00:00Z" },
            prices: {
              input_mtok: { base: 2, tiers: [{ start: 272_000, price: 4 }] },
              cache_read_mtok: 0.2,
              cache_write_mtok: 2.5,
              cache_write_1h_mtok: 4,
            },
          },
        ],
      },
    ],
  },
]);
const costs = (changes: object = {}) =>
  fillPrices({
    input: nanoUsd(2_000),
    output: nanoUsd(10_000),
    cacheRead: nanoUsd(200),
    cacheWrite: nanoUsd(2_500),
    cacheWrite1h: nanoUsd(4_000),
    ...changes,
  });
const modelOf = (own: ReturnType<typeof costs>) => ({ ...modelAt("http://nobody").model, costs: own, prices: own });

test.each([
  ["LiteLLM's", litellm],
  ["genai-prices'", genai],
])("%s list is read, with the dearest hour and the first tier", (_, text) => {
  const list = readPublicPrices(text);
  expect(comparePrices([modelOf(costs())], list)).toEqual({ differences: [], unknown: [] });
  const { differences } = comparePrices([modelOf(costs({ cacheWrite: nanoUsd(2_000), output: nanoUsd(20_000) }))], list);
  expect(differences).toEqual([
    { model: "test-model", kind: "cache_write", ours: 2_000, theirs: 2_500, isLoss: true },
    { model: "test-model", kind: "output", ours: 20_000, theirs: 10_000, isLoss: false },
  ]);
});

test("a model that the list does not have is named; another file is refused", () => {
  const { model } = modelAt("http://nobody");
  const other: Model = { ...model, routes: [{ provider: "openai", wireName: "other" }] };
  expect(comparePrices([other], readPublicPrices(litellm)).unknown).toEqual(["test-model"]);
  for (const text of ["{}", "[1]", '"text"']) expect(() => readPublicPrices(text)).toThrow("neither LiteLLM's");
});
