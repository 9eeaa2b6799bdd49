// Anthropic's models. Input is written into the cache only where a request marks it: for five minutes at 1.25 times the input's price, for an
// hour at twice that.

import type { ModelRow } from "./row";

export const anthropicModels: readonly ModelRow[] = [
  {
    id: "claude-sonnet-4-5",
    description: "Long context and analysis.",
    wireName: "claude-sonnet-4-5-20250929",
    aliases: ["claude-sonnet-4-5-20250929", "claude-sonnet-4.5"],
    context: 200_000,
    maxOutput: 64_000,
    cost: { input: 3_000, output: 15_000, cacheRead: 300, cacheWrite: 3_750, cacheWrite1h: 6_000 },
    price: 18_000,
    bound: "claude",
  },
  {
    id: "claude-haiku-4-5",
    description: "Quick answers from the Claude family.",
    wireName: "claude-haiku-4-5-20251001",
    aliases: ["claude-haiku-4-5-20251001", "claude-haiku-4.5"],
    context: 200_000,
    maxOutput: 64_000,
    cost: { input: 1_000, output: 5_000, cacheRead: 100, cacheWrite: 1_250, cacheWrite1h: 2_000 },
    bound: "claude",
  },
  {
    id: "claude-opus-4-5",
    description: "Careful work on difficult tasks.",
    wireName: "claude-opus-4-5-20251101",
    aliases: ["claude-opus-4-5-20251101", "claude-opus-4.5"],
    context: 200_000,
    maxOutput: 64_000,
    cost: { input: 5_000, output: 25_000, cacheRead: 500, cacheWrite: 6_250, cacheWrite1h: 10_000 },
    bound: "claude",
  },
  {
    id: "claude-sonnet-5-5",
    description: "Speed and judgement. Thinks before it answers, out of maxTokens: ask for several thousand.",
    aliases: ["claude-sonnet-5.5"],
    context: 1_000_000,
    maxOutput: 128_000,
    cost: { input: 2_000, output: 10_000, cacheRead: 200, cacheWrite: 2_500, cacheWrite1h: 4_000 },
    bound: "bytes",
  },
];
