// Prices by kind of token. A provider bills input that it reads from its cache, or writes into it, at another price than plain input, and
// reprices a whole request once its input passes a line. Everything that a price decides is worked out here: a charge from the provider's
// counts, a ceiling from bounds, and the list that is published, hashed and stored. Unit: nano-USD per token.

import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import {
  type KindName,
  type KindNeeds,
  kindNamed,
  kinds,
  partKinds,
  type Side,
  type TokenCounts,
  type TokenKind,
  tokenKinds,
  tokensOfKind,
} from "@/lib/base/tokens/token-kinds";

/** The price of each kind of token. */
export type KindPrices = Record<TokenKind, NanoUsd>;

/** The dearest cache write that a call can meet: none, one for minutes, or one for hours. */
export type CacheWrites = "none" | "minutes" | "hours";

/** Prices from a length of the prompt on; they apply to every token of such a request. */
export interface PriceTier extends KindPrices {
  /** Counts all input, cached input included. */
  fromInputTokens: number;
  /** The price of the dearest kind that a token of text can be, worked out here and not by each request. */
  dearestInput: Readonly<Record<CacheWrites, NanoUsd>>;
  dearestImage: NanoUsd;
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

function fillTier({ fromInputTokens, ...written }: WrittenTier): PriceTier {
  const { input, output } = written;
  const sides = { input, output };
  const byKind = Object.fromEntries(kinds.map((kind) => [kind, written[kind] ?? sides[tokenKinds[kind].partOf ?? "input"]])) as KindPrices;
  const none = dearestKind(byKind, "input", ["nothing"]);
  const minutes = dearestKind(byKind, "input", ["nothing", "cache writes"]);
  const hours = dearestKind(byKind, "input", ["nothing", "cache writes", "cache writes for hours"]);
  const dearestImage = dearestKind(byKind, "input", ["images"]);
  const dearestOutput = dearestKind(byKind, "output", ["nothing"]);
  return { fromInputTokens, ...byKind, dearestInput: { none, minutes, hours }, dearestImage, dearestOutput };
}

/** The dearest price of a token of that side, of the kinds that need one of these. */
function dearestKind(prices: KindPrices, side: Side, needs: readonly KindNeeds[]): NanoUsd {
  return kinds
    .filter((kind) => (tokenKinds[kind].partOf ?? kind) === side && needs.includes(tokenKinds[kind].needs))
    .reduce((dearest, kind) => maxOf(dearest, prices[kind]), nanoUsd(0n));
}

const maxOf = (one: NanoUsd, other: NanoUsd): NanoUsd => (one > other ? one : other);

/** The same prices with each changed. */
export function mapPrices(prices: Prices, change: (price: NanoUsd, kind: TokenKind) => NanoUsd): Prices {
  const [first, ...tiers] = prices.map(({ dearestInput: _, dearestImage: __, dearestOutput: ___, ...tier }) => {
    for (const kind of kinds) tier[kind] = change(tier[kind], kind);
    return tier;
  });
  return first ? fillPrices(first, tiers) : prices;
}

/** Of several prices the dearest, kind by kind and at every length of the prompt. */
export function dearestOf(all: readonly [Prices, ...Prices[]]): Prices {
  const lines = [...new Set(all.flat().map(({ fromInputTokens }) => fromInputTokens))].sort((one, other) => one - other);
  const tiers = lines.map((fromInputTokens) => {
    const { dearestInput: _, dearestImage: __, dearestOutput: ___, ...dearest } = tierAt(all[0], fromInputTokens);
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

/**
 * The cost of an answer, kind by kind, at the tier that its input reached: each side at its own price, and for each part the difference
 * from its side's. `ledger_check` has the same formula in SQL.
 */
export function costOf(prices: Prices, usage: TokenCounts): Costs {
  const tier = tierAt(prices, usage.inputTokens);
  const costs = { input: BigInt(usage.inputTokens) * tier.input, output: BigInt(usage.outputTokens) * tier.output };
  for (const kind of partKinds) {
    const { count, partOf } = tokenKinds[kind];
    if (usage[count] > 0) costs[partOf] += BigInt(usage[count]) * (tier[kind] - tier[partOf]);
  }
  return { inputCost: nanoUsd(costs.input), outputCost: nanoUsd(costs.output) };
}

/** The same, line by line: plain input and output always, other kinds where there are tokens of them. */
export function costLines(prices: Prices, usage: TokenCounts): CostLine[] {
  const tier = tierAt(prices, usage.inputTokens);
  return kinds
    .map((kind) => ({ kind: tokenKinds[kind].name, tokens: tokensOfKind(usage, kind), price: tier[kind] }))
    .filter(({ kind, tokens }) => kind === "input" || kind === "output" || tokens > 0);
}

/** The most that a call may be billed for. */
export interface CostBounds {
  inputBound: number;
  outputBound: number;
  cacheWrites: CacheWrites;
  hasImages: boolean;
}

const dearestInputOf = (tier: PriceTier, { cacheWrites, hasImages }: Pick<CostBounds, "cacheWrites" | "hasImages">): NanoUsd =>
  hasImages ? maxOf(tier.dearestInput[cacheWrites], tier.dearestImage) : tier.dearestInput[cacheWrites];

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

/** Whether a kind costs what its side costs. */
export function followsSide(tier: KindPrices, kind: TokenKind): boolean {
  const { partOf } = tokenKinds[kind];
  return partOf !== null && tier[kind] === tier[partOf];
}

/** The prices as a list: input and output of each tier, and the kinds that cost something else. */
export function listPrices(prices: Prices): ListedPrice[] {
  return prices.flatMap((tier) =>
    kinds
      .filter((kind) => !followsSide(tier, kind))
      .map((kind) => ({
        kind: tokenKinds[kind].name,
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
    const known = kindNamed(kind);
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
