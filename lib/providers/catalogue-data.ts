// The built-in models: facts from the providers' public pages, and our prices on top of them. The operator's MODELS_FILE can change
// and extend everything here; nothing here knows which provider is configured.
//
// Facts as of 2026-11-20, from the providers' public pages:
//   openai     developers.openai.com/api/docs/{models,pricing,deprecations}
//   anthropic  platform.claude.com/docs/en/models
//   gemini     ai.google.dev/gemini-api/docs/{pricing,models,thinking,deprecations}
//   xai        docs.x.ai/developers/models, docs.x.ai/developers/migration/may-15-retirement
//   deepseek   api-docs.deepseek.com/quick_start/pricing
// Where only a public list quoting those pages could be read (prices of OpenAI, of xAI and of gemini-3.5-flash-lite), that list was
// used (github.com/pydantic/genai-prices among them). A retired model keeps the last price its provider published.
// Prices move: check them before going live, and correct them in MODELS_FILE.
//
// No entry needs a reasoning ceiling: `max_completion_tokens` (OpenAI), `maxOutputTokens` (Gemini) and `max_tokens`
// (Anthropic, DeepSeek) limit reasoning and answer together, and the xAI models listed here do not reason.

import { nanoUsd } from "@/lib/base/money";
import type { Model, ProviderId, TokenBoundId } from "./types";

const DEFAULT_MAX_TOKENS = 1024;
const MARGIN_PERCENT = 5n;

/** The vendor part of the `vendor/model` names that other gateways use. */
const vendorPrefix: Record<ProviderId, string> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "google",
  xai: "x-ai",
  deepseek: "deepseek",
};

interface Row {
  id: string;
  description: string;
  wireName?: string;
  aliases?: readonly string[];
  context: number;
  maxOutput: number;
  /** The provider's price in nano-USD per token, input and output (1 USD per million tokens = 1,000). */
  cost: readonly [input: number, output: number];
  /** Our price for input and output alike; without it, the cost plus the margin, rounded up to whole nano-USD. */
  price?: number;
  bound: TokenBoundId;
}

const withMargin = (cost: number) => nanoUsd((BigInt(cost) * (100n + MARGIN_PERCENT) + 99n) / 100n);

function model(provider: ProviderId, row: Row): Model {
  const [inputCost, outputCost] = row.cost;
  return {
    id: row.id,
    aliases: [`${vendorPrefix[provider]}/${row.id}`, ...(row.aliases ?? [])],
    description: row.description,
    routes: [{ provider, wireName: row.wireName ?? row.id }],
    contextWindow: row.context,
    maxOutputTokens: row.maxOutput,
    defaultMaxTokens: Math.min(DEFAULT_MAX_TOKENS, row.maxOutput),
    inputPrice: row.price === undefined ? withMargin(inputCost) : nanoUsd(row.price),
    outputPrice: row.price === undefined ? withMargin(outputCost) : nanoUsd(row.price),
    providerInputCost: nanoUsd(inputCost),
    providerOutputCost: nanoUsd(outputCost),
    reasoningCeiling: 0,
    tokenBound: row.bound,
  };
}

const openai: readonly Row[] = [
  {
    id: "gpt-3.5-turbo",
    description: "Fast answers to general queries.",
    aliases: ["gpt-3.5-turbo-0125"],
    context: 16_385,
    maxOutput: 4_096,
    cost: [500, 1_500],
    price: 2_000,
    bound: "cl100k",
  },
  {
    id: "gpt-4",
    description: "The original GPT-4.",
    aliases: ["gpt-4-0613"],
    context: 8_192,
    maxOutput: 8_192,
    cost: [30_000, 60_000],
    bound: "cl100k",
  },
  {
    id: "gpt-4-turbo",
    description: "Complex reasoning.",
    aliases: ["gpt-4-turbo-2024-04-09"],
    context: 128_000,
    maxOutput: 4_096,
    cost: [10_000, 30_000],
    price: 40_000,
    bound: "cl100k",
  },
  {
    id: "gpt-4o",
    description: "An all-round model for everyday work.",
    aliases: ["gpt-4o-2024-08-06"],
    context: 128_000,
    maxOutput: 16_384,
    cost: [2_500, 10_000],
    bound: "o200k",
  },
  {
    id: "gpt-4o-mini",
    description: "Small, quick and cheap.",
    aliases: ["gpt-4o-mini-2024-07-18"],
    context: 128_000,
    maxOutput: 16_384,
    cost: [150, 600],
    bound: "o200k",
  },
  {
    id: "gpt-4.1",
    description: "Follows instructions closely over a long context.",
    aliases: ["gpt-4.1-2025-04-14"],
    context: 1_047_576,
    maxOutput: 32_768,
    cost: [2_000, 8_000],
    bound: "o200k",
  },
  {
    id: "gpt-4.1-mini",
    description: "Long context at a low price.",
    aliases: ["gpt-4.1-mini-2025-04-14"],
    context: 1_047_576,
    maxOutput: 32_768,
    cost: [400, 1_600],
    bound: "o200k",
  },
  // Above 272,000 input tokens OpenAI charges twice the input and 1.5 times the output price: our window ends there.
  {
    id: "gpt-6-sol",
    description: "Hard problems. Reasons before it answers, out of maxTokens: ask for several thousand.",
    context: 272_000,
    maxOutput: 128_000,
    cost: [2_000, 10_000],
    bound: "bytes",
  },
  {
    id: "gpt-6-luna",
    description: "High volume at a low price. Reasons before it answers, out of maxTokens: ask for several thousand.",
    context: 272_000,
    maxOutput: 128_000,
    cost: [100, 500],
    bound: "bytes",
  },
];

const anthropic: readonly Row[] = [
  {
    id: "claude-sonnet-4-5",
    description: "Long context and analysis.",
    wireName: "claude-sonnet-4-5-20250929",
    aliases: ["claude-sonnet-4-5-20250929", "claude-sonnet-4.5"],
    context: 200_000,
    maxOutput: 64_000,
    cost: [3_000, 15_000],
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
    cost: [1_000, 5_000],
    bound: "claude",
  },
  {
    id: "claude-opus-4-5",
    description: "Careful work on difficult tasks.",
    wireName: "claude-opus-4-5-20251101",
    aliases: ["claude-opus-4-5-20251101", "claude-opus-4.5"],
    context: 200_000,
    maxOutput: 64_000,
    cost: [5_000, 25_000],
    bound: "claude",
  },
  {
    id: "claude-sonnet-5-5",
    description: "Speed and judgement. Thinks before it answers, out of maxTokens: ask for several thousand.",
    aliases: ["claude-sonnet-5.5"],
    context: 1_000_000,
    maxOutput: 128_000,
    cost: [2_000, 10_000],
    bound: "bytes",
  },
];

const gemini: readonly Row[] = [
  {
    id: "gemini-2.5-flash",
    description: "Fast and cost-effective. May think before it answers, out of maxTokens.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: [300, 2_500],
    price: 3_000,
    bound: "bytes",
  },
  {
    id: "gemini-2.5-flash-lite",
    description: "The cheapest Gemini, for simple tasks in bulk.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: [100, 400],
    bound: "bytes",
  },
  {
    id: "gemini-3.5-flash-lite",
    description: "Low latency over a long context.",
    context: 1_048_576,
    maxOutput: 65_536,
    cost: [300, 2_500],
    bound: "bytes",
  },
];

// xAI publishes no output limit; 30,000 is ours.
const xai: readonly Row[] = [
  // The specification's price is below the cost of every current xAI model; this is the last one it covers (cost above 128,000 tokens).
  {
    id: "grok",
    description: "General queries.",
    wireName: "grok-4-fast-non-reasoning",
    aliases: ["grok-4-fast-non-reasoning"],
    context: 2_000_000,
    maxOutput: 30_000,
    cost: [400, 1_000],
    price: 1_000,
    bound: "bytes",
  },
  // xAI charges twice as much above 200,000 tokens: our window ends there.
  {
    id: "grok-4.20",
    description: "General queries, answered at once, without reasoning.",
    wireName: "grok-4.20-non-reasoning",
    aliases: ["grok-4.20-non-reasoning"],
    context: 200_000,
    maxOutput: 30_000,
    cost: [1_250, 2_500],
    bound: "bytes",
  },
];

const deepseek: readonly Row[] = [
  {
    id: "deepseek-chat",
    description: "Code generation.",
    context: 128_000,
    maxOutput: 8_192,
    cost: [280, 420],
    price: 1_000,
    bound: "bytes",
  },
  // Costs are those of peak hours; off-peak is half.
  {
    id: "deepseek-flash",
    description: "Code and agents. Thinks before it answers, out of maxTokens: ask for several thousand.",
    context: 1_000_000,
    maxOutput: 384_000,
    cost: [300, 1_200],
    bound: "bytes",
  },
];

export const builtInModels: readonly Model[] = [
  ...openai.map((row) => model("openai", row)),
  ...anthropic.map((row) => model("anthropic", row)),
  ...gemini.map((row) => model("gemini", row)),
  ...xai.map((row) => model("xai", row)),
  ...deepseek.map((row) => model("deepseek", row)),
];

/**
 * Wire names that their own provider stopped (or will stop) answering, with the first day without service. They stay in the
 * catalogue, since a compatible host or the simulated providers may still serve them; the provider's own host cannot.
 */
export const retiredWireNames: ReadonlyMap<string, string> = new Map([
  ["openai/gpt-3.5-turbo", "2026-10-23"],
  ["openai/gpt-4", "2026-10-23"],
  ["openai/gpt-4-turbo", "2026-10-23"],
  ["openai/gpt-4o", "2027-01-14"],
  ["openai/gpt-4o-mini", "2027-01-14"],
  ["openai/gpt-4.1", "2027-01-14"],
  ["openai/gpt-4.1-mini", "2027-01-14"],
  ["anthropic/claude-sonnet-4-5-20250929", "2026-11-30"],
  // From that day Google serves another model under this name.
  ["gemini/gemini-2.5-flash", "2026-12-01"],
  ["xai/grok-4-fast-non-reasoning", "2026-05-15"],
  ["deepseek/deepseek-chat", "2026-07-24"],
]);
