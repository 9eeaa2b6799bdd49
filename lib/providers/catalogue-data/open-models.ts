// Models of Mistral and Moonshot AI, and open models at hosts that sell them by the token, in the order in which the hosts are called. They
// are offered once the key of a provider is set. Facts as of 2026-11-26, from the providers' pages as public lists and issues quote them:
//   mistral    docs.mistral.ai/models, mistral.ai/pricing (genai-prices 0.1.8 of 2026-09-23)
//   groq       console.groq.com/docs/models, groq.com/pricing (genai-prices; models.dev of 2026-08-29 for Qwen)
//   fireworks  fireworks.ai/pricing (genai-prices, and models.dev where that is dearer)
//   moonshot   platform.kimi.ai/docs/pricing/chat (as read on 2026-09-29 and 2026-10-25)
//   cerebras   inference-docs.cerebras.ai/models/overview (genai-prices)
// Mistral and Fireworks publish no output limit; 32,768 is ours.

import type { ModelRow } from "./row";

export const mistralModels: readonly ModelRow[] = [
  {
    id: "mistral-large-2512",
    releasedOn: "2025-12-02",
    description: "Open weights, for demanding work.",
    context: 262_144,
    maxOutput: 32_768,
    cost: { input: 500, output: 1_500, cacheRead: 50 },
    bound: "bytes",
  },
  {
    id: "mistral-medium-3-5",
    releasedOn: "2026-04-29",
    description: "Agents and code, at half the price of the largest models.",
    context: 262_144,
    maxOutput: 32_768,
    cost: { input: 1_500, output: 7_500 },
    bound: "bytes",
  },
  {
    id: "mistral-small-2603",
    releasedOn: "2026-03-16",
    description: "Quick and cheap.",
    context: 262_144,
    maxOutput: 32_768,
    cost: { input: 150, output: 600, cacheRead: 15 },
    bound: "bytes",
  },
  {
    id: "codestral-2508",
    releasedOn: "2025-07-30",
    description: "Completes and writes code.",
    context: 256_000,
    maxOutput: 32_768,
    cost: { input: 300, output: 900, cacheRead: 30 },
    bound: "bytes",
  },
  {
    id: "ministral-14b-2512",
    releasedOn: "2025-12-02",
    description: "Small open weights, for simple tasks in bulk.",
    context: 262_144,
    maxOutput: 32_768,
    cost: { input: 200, output: 200, cacheRead: 20 },
    bound: "bytes",
  },
];

const gptOssEfforts = { efforts: ["low", "medium", "high"] } satisfies ModelRow["dialect"];

export const groqModels: readonly ModelRow[] = [
  {
    id: "gpt-oss-120b",
    releasedOn: "2025-08-05",
    description: "Open weights by OpenAI, on fast hardware. Reasons before it answers, within maxTokens.",
    wireName: "openai/gpt-oss-120b",
    context: 131_072,
    maxOutput: 32_768,
    cost: { input: 150, output: 600, cacheRead: 75 },
    dialect: gptOssEfforts,
    otherRoutes: [
      {
        provider: "fireworks",
        wireName: "accounts/fireworks/models/gpt-oss-120b",
        cost: { input: 150, output: 600, cacheRead: 70 },
        dialect: gptOssEfforts,
      },
    ],
    bound: "bytes",
  },
  {
    id: "gpt-oss-20b",
    releasedOn: "2025-08-05",
    description: "Small open weights by OpenAI, on fast hardware. Reasons before it answers, within maxTokens.",
    wireName: "openai/gpt-oss-20b",
    context: 131_072,
    maxOutput: 32_768,
    // 37.5, in whole nano-USD.
    cost: { input: 75, output: 300, cacheRead: 38 },
    dialect: gptOssEfforts,
    otherRoutes: [
      {
        provider: "fireworks",
        wireName: "accounts/fireworks/models/gpt-oss-20b",
        cost: { input: 70, output: 300, cacheRead: 40 },
        dialect: gptOssEfforts,
      },
    ],
    bound: "bytes",
  },
  {
    id: "qwen3.8-27b",
    releasedOn: "2026-08-14",
    description: "Open weights by Alibaba, for code and agents, on fast hardware. Thinks before it answers, within maxTokens.",
    wireName: "qwen/qwen3.8-27b",
    context: 131_042,
    maxOutput: 16_384,
    cost: { input: 800, output: 4_000, cacheRead: 400 },
    // Otherwise the thought stands in the answer: console.groq.com/docs/reasoning.
    dialect: { body: { reasoning_format: "hidden" } },
    bound: "bytes",
  },
];

export const fireworksModels: readonly ModelRow[] = [
  {
    id: "glm-5.2",
    releasedOn: "2026-06-13",
    description: "Open weights by Z.ai, for agents and code. Thinks before it answers, within maxTokens.",
    wireName: "accounts/fireworks/models/glm-5p2",
    context: 1_040_000,
    maxOutput: 32_768,
    cost: { input: 1_400, output: 4_400, cacheRead: 260 },
    bound: "bytes",
  },
  {
    id: "minimax-m3",
    releasedOn: "2026-06-01",
    description: "Open weights by MiniMax, for agents and code. Thinks before it answers, within maxTokens.",
    wireName: "accounts/fireworks/models/minimax-m3",
    context: 512_000,
    maxOutput: 32_768,
    cost: { input: 300, output: 1_200, cacheRead: 60 },
    bound: "bytes",
  },
];

// Writes into its cache for an hour cost twice the input, and only on request, which we never make.
export const moonshotModels: readonly ModelRow[] = [
  {
    id: "kimi-k3",
    releasedOn: "2026-07-16",
    description: "Agents and long tasks. Thinks before it answers, within maxTokens: allow several thousand.",
    context: 1_048_576,
    maxOutput: 131_072,
    cost: { input: 3_000, output: 15_000, cacheRead: 300, cacheWrite1h: 6_000 },
    bound: "bytes",
  },
];

export const cerebrasModels: readonly ModelRow[] = [
  {
    id: "gpt-oss-120b-cerebras",
    releasedOn: "2025-08-05",
    description: "Open weights by OpenAI, at thousands of tokens per second. Reasons before it answers, within maxTokens.",
    wireName: "gpt-oss-120b",
    context: 131_072,
    maxOutput: 32_768,
    cost: { input: 350, output: 750 },
    bound: "bytes",
  },
];
