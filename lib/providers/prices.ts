// Prices by kind of token. A provider bills input that it reads from its cache, or writes into it, at another price than plain input, and
// reprices a whole request once its input passes a line. Everything that a price decides is worked out here: a charge from the provider's
// counts, a ceiling from bounds, and the list that is published, hashed and stored. Unit: nano-USD per token.

import { type NanoUsd, nanoUsd } from "@/lib/base/money";

/** The price of each kind of token. */
export interface KindPrices {
  /** Input that is of no other kind. */
  input: NanoUsd;
  /** Input read from the provider's cache. */
  cacheRead: NanoUsd;
  /** Input written into it for minutes: five at Anthropic, thirty at OpenAI. */
  cacheWrite: NanoUsd;
  /** Input written into it for hours: one at Anthropic, twelve at OpenAI. */
  cacheWrite1h: NanoUsd;
  /** Input from images. */
  image: NanoUsd;
  output: NanoUsd;
  /** Output spent on reasoning. */
  reasoning: NanoUsd;
}

type Kind = keyof KindPrices;

/** The names of the kinds in the API, in the order of every list. */
export const kindNames = {
  input: "input",
  cacheRead: "cache_read",
  cacheWrite: "cache_write",
  cacheWrite1h: "cache_write_1h",
  image: "image",
  output: "output",
  reasoning: "reasoning",
} as const satisfies Record<Kind, string>;
export type KindName = (typeof kindNames)[Kind];

export const kinds = Object.keys(kindNames) as readonly Kind[];

/** The dearest cache write that a call can meet: none, one for minutes, or one for hours. */
export type CacheWrites = "none" | "minutes" | "hours";

/** Prices from a length of the prompt on; they apply to every token of such a request. */
export interface PriceTier extends KindPrices {
  /** Counts all input, cached input included. */
  fromInputTokens: number;
  /** The dearest kind that a token of text can be, worked out here and not by each request. */
  dearestInput: Readonly<Record<CacheWrites, NanoUsd>>;
  dearestOutput: NanoUsd;
}

/** The tiers by rising length; the first one starts at 0. */
export type Prices = readonly [PriceTier, ...PriceTier[]];

/** Prices as they are written down: a kind without a price costs `input`, and reasoning `output`. */
export type WrittenPrices = Pick<KindPrices, "input" | "output"> & Partial<KindPrices>;
export type WrittenTier = WrittenPrices & { fromInputTokens: number };

/** @throws Error when the tiers' lines do not rise */
export function fillPrices(base: WrittenPrices, tiers: readonly WrittenTier[] = []): Prices {
  const filled: [PriceTier, ...PriceTier[]] = [fillTier({ ...base, fromInputTokens: 0 })];
  for (const tier of tiers) {
    if (tier.fromInputTokens <= (filled.at(-1)?.fromInputTokens ?? 0)) throw new Error("price tiers must begin at rising lengths above 0");
    filled.push(fillTier(tier));
  }
  return filled;
}

function fillTier({ fromInputTokens, input, output, ...other }: WrittenTier): PriceTier {
  const { cacheRead = input, cacheWrite = input, cacheWrite1h = input, image = input, reasoning = output } = other;
  const none = maxOf(input, cacheRead);
  const minutes = maxOf(none, cacheWrite);
  const dearestInput = { none, minutes, hours: maxOf(minutes, cacheWrite1h) };
  const byKind = { input, cacheRead, cacheWrite, cacheWrite1h, image, output, reasoning };
  return { fromInputTokens, ...byKind, dearestInput, dearestOutput: maxOf(output, reasoning) };
}

const maxOf = (one: NanoUsd, other: NanoUsd): NanoUsd => (one > other ? one : other);

/** The same prices with each changed. */
export function mapPrices(prices: Prices, change: (price: NanoUsd, kind: Kind) => NanoUsd): Prices {
  const [first, ...tiers] = prices.map(({ dearestInput: _, dearestOutput: __, ...tier }) => {
    for (const kind of kinds) tier[kind] = change(tier[kind], kind);
    return tier;
  });
  return first ? fillPrices(first, tiers) : prices;
}

/** Of several prices the dearest, kind by kind and at every length of the prompt. */
export function dearestOf(all: readonly [Prices, ...Prices[]]): Prices {
  const lines = [...new Set(all.flat().map(({ fromInputTokens }) => fromInputTokens))].sort((one, other) => one - other);
  const tiers = lines.map((fromInputTokens) => {
    const { dearestInput: _, dearestOutput: __, ...dearest } = tierAt(all[0], fromInputTokens);
    for (const prices of all) for (const kind of kinds) dearest[kind] = maxOf(dearest[kind], tierAt(prices, fromInputTokens)[kind]);
    return { ...dearest, fromInputTokens };
  });
  const [first, ...others] = tiers;
  return first ? fillPrices(first, others) : all[0];
}

/** The tier of a request with that much input. */
export function tierAt(prices: Prices, inputTokens: number): PriceTier {
  let tier: PriceTier = prices[0];
  for (const next of prices) if (next.fromInputTokens <= inputTokens) tier = next;
  return tier;
}

/**
 * Counted tokens. `inputTokens` includes every kind of input below, each token in one kind at most; `outputTokens` includes
 * reasoning.
 */
export interface TokenCounts {
  inputTokens: number;
  outputTokens: number;
  /** Read from the provider's cache. */
  cachedInputTokens: number;
  /** Written into it, for minutes. */
  cacheWriteTokens: number;
  /** Written into it, for hours. */
  cacheWrite1hTokens: number;
  /** Of images, and neither read from the cache nor written into it. */
  imageTokens: number;
  reasoningTokens: number;
}

export const noTokens: Readonly<TokenCounts> = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  imageTokens: 0,
  reasoningTokens: 0,
};

export interface Costs {
  inputCost: NanoUsd;
  outputCost: NanoUsd;
}

/** Tokens of one kind at its price. */
export interface CostLine {
  kind: KindName;
  tokens: number;
  /** Nano-USD per token. */
  price: NanoUsd;
}

/** How many tokens of each kind a usage has. */
function tokensByKind(usage: TokenCounts): Record<Kind, number> {
  const { cachedInputTokens, cacheWriteTokens, cacheWrite1hTokens, imageTokens, reasoningTokens } = usage;
  return {
    input: usage.inputTokens - cachedInputTokens - cacheWriteTokens - cacheWrite1hTokens - imageTokens,
    cacheRead: cachedInputTokens,
    cacheWrite: cacheWriteTokens,
    cacheWrite1h: cacheWrite1hTokens,
    image: imageTokens,
    output: usage.outputTokens - reasoningTokens,
    reasoning: reasoningTokens,
  };
}

/** The cost of an answer, kind by kind, at the tier that its input reached. */
export function costOf(prices: Prices, usage: TokenCounts): Costs {
  const tier = tierAt(prices, usage.inputTokens);
  const { cachedInputTokens, cacheWriteTokens, cacheWrite1hTokens, imageTokens, reasoningTokens } = usage;
  const special = cachedInputTokens + cacheWriteTokens + cacheWrite1hTokens + imageTokens;
  let inputCost = BigInt(usage.inputTokens - special) * tier.input;
  if (special > 0) {
    inputCost +=
      BigInt(cachedInputTokens) * tier.cacheRead +
      BigInt(cacheWriteTokens) * tier.cacheWrite +
      BigInt(cacheWrite1hTokens) * tier.cacheWrite1h +
      BigInt(imageTokens) * tier.image;
  }
  const outputCost = BigInt(usage.outputTokens - reasoningTokens) * tier.output + BigInt(reasoningTokens) * tier.reasoning;
  return { inputCost: nanoUsd(inputCost), outputCost: nanoUsd(outputCost) };
}

/** The same, line by line: plain input and output always, other kinds where there are tokens of them. */
export function costLines(prices: Prices, usage: TokenCounts): CostLine[] {
  const tier = tierAt(prices, usage.inputTokens);
  const tokens = tokensByKind(usage);
  return kinds
    .filter((kind) => kind === "input" || kind === "output" || tokens[kind] > 0)
    .map((kind) => ({ kind: kindNames[kind], tokens: tokens[kind], price: tier[kind] }));
}

/** What a call may be billed for at the most. */
export interface CostBounds {
  inputBound: number;
  outputBound: number;
  cacheWrites: CacheWrites;
  hasImages: boolean;
}

const dearestInputOf = (tier: PriceTier, { cacheWrites, hasImages }: Pick<CostBounds, "cacheWrites" | "hasImages">): NanoUsd =>
  hasImages ? maxOf(tier.dearestInput[cacheWrites], tier.image) : tier.dearestInput[cacheWrites];

/** Never less than `costOf` any usage within the bounds: every token at the dearest kind that it can be, in every tier that it can reach. */
export function ceilingOf(prices: Prices, bounds: CostBounds): NanoUsd {
  const [input, output] = [BigInt(bounds.inputBound), BigInt(bounds.outputBound)];
  let ceiling = 0n;
  for (const tier of prices) {
    if (tier.fromInputTokens > bounds.inputBound) break;
    const cost = input * dearestInputOf(tier, bounds) + output * tier.dearestOutput;
    if (cost > ceiling) ceiling = cost;
  }
  return nanoUsd(ceiling);
}

/** The most output tokens whose ceiling fits into `available`: negative when the input alone does not, infinite when output is free. */
export function affordableOutput(prices: Prices, available: NanoUsd, bounds: Omit<CostBounds, "outputBound">): number {
  const input = BigInt(bounds.inputBound);
  let affordable = Number.POSITIVE_INFINITY;
  for (const tier of prices) {
    if (tier.fromInputTokens > bounds.inputBound) break;
    const left = available - input * dearestInputOf(tier, bounds);
    if (left < 0n) return -1;
    if (tier.dearestOutput > 0n) affordable = Math.min(affordable, Number(left / tier.dearestOutput));
  }
  return affordable;
}

/** One published price. */
export interface ListedPrice {
  kind: KindName;
  price: NanoUsd;
  /** Absent in the first tier. */
  fromInputTokens?: number;
}

/** The prices as a list: input and output of each tier, and the kinds that cost something else. */
export function listPrices(prices: Prices): ListedPrice[] {
  return prices.flatMap((tier) =>
    kinds
      .filter((kind) => kind === "input" || kind === "output" || tier[kind] !== tier[kind === "reasoning" ? "output" : "input"])
      .map((kind) => ({
        kind: kindNames[kind],
        price: tier[kind],
        ...(tier.fromInputTokens > 0 && { fromInputTokens: tier.fromInputTokens }),
      })),
  );
}

/** Reads what `listPrices` wrote. @throws Error when a tier has no price for input or output */
export function readListedPrices(listed: readonly ListedPrice[]): Prices {
  const tiers = new Map<number, Partial<KindPrices>>();
  for (const { kind, price, fromInputTokens = 0 } of listed) {
    const tier = tiers.get(fromInputTokens) ?? {};
    const known = kinds.find((one) => kindNames[one] === kind);
    if (known) tier[known] = price;
    tiers.set(fromInputTokens, tier);
  }
  const written = [...tiers].sort(([one], [other]) => one - other).map(([fromInputTokens, tier]) => ({ ...tier, fromInputTokens }));
  const [base, ...others] = written.map((tier) => {
    const { input, output } = tier;
    if (input === undefined || output === undefined) throw new Error(`prices from ${tier.fromInputTokens} tokens on need input and output`);
    return { ...tier, input, output };
  });
  if (!base) throw new Error("there are no prices");
  return fillPrices(base, others);
}
