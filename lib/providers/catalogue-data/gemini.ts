// Google's Gemini models. Its implicit cache costs nothing to write; explicit caches, which bill storage, are never used.

import type { ModelRow } from "./row";

export const geminiModels: readonly ModelRow[] = [
  {
    id: "gemini-2.5-flash",
    description: "Fast and cost-effective. May think before it answers, out of maxTokens.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: { input: 300, output: 2_500 },
    price: 3_000,
    bound: "bytes",
  },
  {
    id: "gemini-2.5-flash-lite",
    description: "The cheapest Gemini, for simple tasks in bulk.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: { input: 100, output: 400 },
    bound: "bytes",
  },
  {
    id: "gemini-3.5-flash-lite",
    description: "Low latency over a long context.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: { input: 300, output: 2_500 },
    bound: "bytes",
  },
];
