// Prices by kind: what a charge costs, and that no ceiling is below it.

import fc from "fast-check";
import { expect, test } from "vitest";
import { nanoUsd } from "@/lib/base/money";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import {
  affordableOutput,
  type CacheWrites,
  ceilingOf,
  costLines,
  costOf,
  fillPrices,
  listPrices,
  mapPrices,
  type Prices,
  readListedPrices,
  tierAt,
} from "./prices";
import type { TokenUsage } from "./types";

const usageOf = (counts: Partial<TokenUsage>): TokenUsage => ({ ...noTokens, ...counts });
const prices = (fields: Record<string, number> & { input: number; output: number }, ...tiers: Record<string, number>[]): Prices => {
  const inNanoUsd = (tier: Record<string, number>) =>
    Object.fromEntries(Object.entries(tier).map(([kind, price]) => [kind, kind === "fromInputTokens" ? price : nanoUsd(price)]));
  return fillPrices(
    inNanoUsd(fields) as never,
    tiers.map((tier) => inNanoUsd(tier) as never),
  );
};

test("each kind of token costs its own price, and each token counts once", () => {
  const each = prices({ input: 100, cacheRead: 10, cacheWrite: 125, cacheWrite1h: 200, image: 300, output: 1_000, reasoning: 2_000 });
  const usage = usageOf({
    inputTokens: 16,
    cachedInputTokens: 1,
    cacheWriteTokens: 2,
    cacheWrite1hTokens: 3,
    imageTokens: 4,
    outputTokens: 7,
    reasoningTokens: 2,
  });
  expect(costOf(each, usage)).toEqual({ inputCost: 6n * 100n + 10n + 250n + 600n + 1_200n, outputCost: 5_000n + 4_000n });
  expect(costLines(each, usage).map(({ kind, tokens }) => [kind, tokens])).toEqual([
    ["input", 6],
    ["cache_read", 1],
    ["cache_write", 2],
    ["cache_write_1h", 3],
    ["image", 4],
    ["output", 5],
    ["reasoning", 2],
  ]);
});

test("a kind without a price costs input, and reasoning output", () => {
  const [tier] = prices({ input: 3, output: 5 });
  expect(tier).toMatchObject({ cacheRead: 3n, cacheWrite: 3n, cacheWrite1h: 3n, image: 3n, reasoning: 5n });
});

test("a tier reprices the whole request, cached input included, from its first token on", () => {
  const tiered = prices({ input: 10, cacheRead: 1, output: 100 }, { fromInputTokens: 1_000, input: 20, cacheRead: 2, output: 150 });
  const usage = { cachedInputTokens: 900, outputTokens: 1 };
  expect(costOf(tiered, usageOf({ ...usage, inputTokens: 999 }))).toEqual({ inputCost: 990n + 900n, outputCost: 100n });
  expect(costOf(tiered, usageOf({ ...usage, inputTokens: 1_000 }))).toEqual({ inputCost: 2_000n + 1_800n, outputCost: 150n });
  expect(ceilingOf(tiered, { inputBound: 999, outputBound: 1, cacheWrites: "none", hasImages: false })).toBe(9_990n + 100n);
  expect(ceilingOf(tiered, { inputBound: 1_000, outputBound: 1, cacheWrites: "none", hasImages: false })).toBe(20_000n + 150n);
  expect(() => prices({ input: 1, output: 1 }, { fromInputTokens: 0, input: 1, output: 1 })).toThrow("rising lengths");
});

const price = fc.nat({ max: 100_000 }).map((value) => nanoUsd(value));
const kindPrices = fc.record(
  { input: price, output: price, cacheRead: price, cacheWrite: price, cacheWrite1h: price, image: price, reasoning: price },
  { requiredKeys: ["input", "output"] },
);
const anyPrices = fc
  .tuple(kindPrices, fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), kindPrices), { maxLength: 3 }))
  .map(([base, tiers]) => {
    const startOf = (index: number) => tiers.slice(0, index + 1).reduce((sum, [step]) => sum + step, 0);
    return fillPrices(
      base,
      tiers.map(([, tier], index) => ({ ...tier, fromInputTokens: startOf(index) })),
    );
  });
/** A usage within bounds: kinds that the call cannot meet do not occur. */
const anyCase = fc
  .record({
    cacheWrites: fc.constantFrom<CacheWrites>("none", "minutes", "hours"),
    hasImages: fc.boolean(),
    parts: fc.tuple(...Array.from({ length: 7 }, () => fc.nat({ max: 200 }))),
    room: fc.tuple(fc.nat({ max: 300 }), fc.nat({ max: 300 })),
  })
  .map(({ cacheWrites, hasImages, parts: [plain = 0, read = 0, write = 0, write1h = 0, image = 0, text = 0, reasoning = 0], room }) => {
    const usage = usageOf({
      cachedInputTokens: read,
      cacheWriteTokens: cacheWrites === "none" ? 0 : write,
      cacheWrite1hTokens: cacheWrites === "hours" ? write1h : 0,
      imageTokens: hasImages ? image : 0,
      outputTokens: text + reasoning,
      reasoningTokens: reasoning,
    });
    const special = usage.cachedInputTokens + usage.cacheWriteTokens + usage.cacheWrite1hTokens + usage.imageTokens;
    usage.inputTokens = plain + special;
    const bounds = { cacheWrites, hasImages, inputBound: usage.inputTokens + room[0], outputBound: usage.outputTokens + room[1] };
    return { usage, bounds };
  });

test("a ceiling is never below the cost of a usage within its bounds, whatever the prices and tiers", () => {
  fc.assert(
    fc.property(anyPrices, anyCase, (priced, { usage, bounds }) => {
      const { inputCost, outputCost } = costOf(priced, usage);
      expect(ceilingOf(priced, bounds)).toBeGreaterThanOrEqual(inputCost + outputCost);
      const lines = costLines(priced, usage).reduce((sum, line) => sum + BigInt(line.tokens) * line.price, 0n);
      expect(lines).toBe(inputCost + outputCost);
    }),
    { numRuns: 2_000 },
  );
});

test("the affordable output fits, and one more token does not", () => {
  fc.assert(
    fc.property(anyPrices, anyCase, fc.bigInt({ min: 0n, max: 10n ** 8n }), (priced, { bounds }, available) => {
      const affordable = affordableOutput(priced, nanoUsd(available), bounds);
      fc.pre(Number.isFinite(affordable));
      if (affordable >= 0) expect(ceilingOf(priced, { ...bounds, outputBound: affordable })).toBeLessThanOrEqual(available);
      expect(ceilingOf(priced, { ...bounds, outputBound: affordable + 1 })).toBeGreaterThan(available);
    }),
  );
});

test("a list of prices holds them all", () => {
  fc.assert(
    fc.property(anyPrices, (priced) => {
      expect(readListedPrices(listPrices(priced))).toEqual(priced);
    }),
  );
  const [tier] = readListedPrices([
    { kind: "input", price: nanoUsd(2) },
    { kind: "output", price: nanoUsd(3) },
  ]);
  expect(tier).toMatchObject({ cacheRead: 2n, reasoning: 3n });
  expect(() => readListedPrices([{ kind: "input", price: nanoUsd(2) }])).toThrow("need input and output");
  expect(() => readListedPrices([])).toThrow("there are no prices");
});

test("changed prices keep their tiers", () => {
  fc.assert(
    fc.property(anyPrices, fc.nat({ max: 1_500 }), (priced, inputTokens) => {
      const doubled = mapPrices(priced, (one) => nanoUsd(one * 2n));
      const [one, other] = [tierAt(priced, inputTokens), tierAt(doubled, inputTokens)];
      expect(other.fromInputTokens).toBe(one.fromInputTokens);
      expect([other.input, other.cacheRead, other.dearestOutput]).toEqual([one.input * 2n, one.cacheRead * 2n, one.dearestOutput * 2n]);
    }),
  );
});
