// Google's Gemini models. Its implicit cache costs nothing to write; explicit caches, which bill storage, are never used.

import type { ModelRow } from "./row";

export const geminiModels: readonly ModelRow[] = [
  {
    id: "gemini-2.5-flash",
    description: "Fast and cost-effective. May think before it answers, out of maxTokens.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: { input: 300, output: 2_500, cacheRead: 30 },
    price: 3_000,
    bound: "bytes",
  },
  {
    id: "gemini-2.5-flash-lite",
    description: "The cheapest Gemini, for simple tasks in bulk.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: { input: 100, output: 400, cacheRead: 10 },
    bound: "bytes",
  },
  {
    id: "gemini-3.5-flash-lite",
    description: "Low latency over a long context.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: { input: 300, output: 2_500, cacheRead: 30 },
    bound: "bytes",
  },
  // Above 200,000 tokens of prompt the Pro models cost twice the input and 1.5 times the output.
  {
    id: "gemini-2.5-pro",
    description: "Reasoning over a long context. Thinks before it answers, out of maxTokens: ask for several thousand.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: {
      input: 1_250,
      output: 10_000,
      cacheRead: 125,
      tiers: [{ fromInputTokens: 200_001, input: 2_500, output: 15_000, cacheRead: 250 }],
    },
    bound: "bytes",
  },
  {
    id: "gemini-3.1-pro-preview",
    description: "Hard problems over a long context. Thinks before it answers, out of maxTokens: ask for several thousand.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: {
      input: 2_000,
      output: 12_000,
      cacheRead: 200,
      tiers: [{ fromInputTokens: 200_001, input: 4_000, output: 18_000, cacheRead: 400 }],
    },
    bound: "bytes",
  },
  {
    id: "gemini-3.5-flash",
    description: "Quick work over a long context. Thinks before it answers, out of maxTokens: ask for several thousand.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: { input: 1_500, output: 9_000, cacheRead: 150 },
    bound: "bytes",
  },
  // Half of it until 2026-12-31; sold at the price that follows.
  {
    id: "gemini-3.6-flash",
    description: "Quick work over a long context. Thinks before it answers, out of maxTokens: ask for several thousand.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: { input: 1_500, output: 7_500, cacheRead: 150 },
    bound: "bytes",
  },
  {
    id: "gemini-3.7-flash",
    description: "Quick work over a long context. Thinks before it answers, out of maxTokens: ask for several thousand.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: { input: 1_500, output: 7_500, cacheRead: 150 },
    bound: "bytes",
  },
  {
    id: "gemini-3.8-flash",
    description: "Quick work over a long context. Thinks before it answers, out of maxTokens: ask for several thousand.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: { input: 1_500, output: 7_500, cacheRead: 150 },
    bound: "bytes",
  },
];
