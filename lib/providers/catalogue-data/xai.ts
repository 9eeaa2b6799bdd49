// xAI's models that do not reason: its output limit does not bound reasoning.

import type { ModelRow } from "./row";

// xAI publishes no output limit; 30,000 is ours.
export const xaiModels: readonly ModelRow[] = [
  // The specification's price is below the cost of every current xAI model; this is the last one it covers (cost above 128,000 tokens).
  {
    id: "grok",
    releasedOn: "2025-09-19",
    description: "General queries.",
    wireName: "grok-4-fast-non-reasoning",
    aliases: ["grok-4-fast-non-reasoning"],
    context: 2_000_000,
    maxOutput: 30_000,
    cost: { input: 400, output: 1_000 },
    price: 1_000,
    bound: "bytes",
  },
  // From 200,000 tokens of prompt on xAI charges twice as much, for the whole request.
  {
    id: "grok-4.20",
    releasedOn: "2026-03-09",
    description: "General queries, without reasoning.",
    wireName: "grok-4.20-non-reasoning",
    aliases: ["grok-4.20-non-reasoning"],
    context: 1_000_000,
    maxOutput: 30_000,
    cost: {
      input: 1_250,
      output: 2_500,
      cacheRead: 200,
      tiers: [{ fromInputTokens: 200_000, input: 2_500, output: 5_000, cacheRead: 400 }],
    },
    bound: "bytes",
  },
];
