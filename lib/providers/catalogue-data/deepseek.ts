// DeepSeek's models, at the prices of its peak hours.

import type { ModelRow } from "./row";

export const deepseekModels: readonly ModelRow[] = [
  {
    id: "deepseek-chat",
    releasedOn: "2025-12-01",
    description: "Code generation.",
    context: 128_000,
    maxOutput: 8_192,
    cost: { input: 280, output: 420 },
    price: 1_000,
    bound: "bytes",
  },
  // Costs are those of peak hours; off-peak is half.
  {
    id: "deepseek-flash",
    releasedOn: "2026-09-10",
    description: "Code and agents. Thinks before it answers, within maxTokens: allow several thousand.",
    context: 1_000_000,
    maxOutput: 384_000,
    cost: { input: 300, output: 1_200 },
    bound: "bytes",
  },
  {
    id: "deepseek-v4-flash",
    releasedOn: "2026-04-24",
    description: "Code and agents at a low price. Thinks before it answers, within maxTokens: allow several thousand.",
    context: 1_000_000,
    maxOutput: 384_000,
    cost: { input: 440, output: 1_320, cacheRead: 14 },
    bound: "bytes",
  },
  {
    id: "deepseek-v4-pro",
    releasedOn: "2026-04-24",
    description: "Hard problems in code. Thinks before it answers, within maxTokens: allow several thousand.",
    context: 1_000_000,
    maxOutput: 384_000,
    cost: { input: 1_320, output: 3_960, cacheRead: 44 },
    bound: "bytes",
  },
];
