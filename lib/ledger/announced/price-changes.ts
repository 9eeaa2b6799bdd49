// What differs between two prices of a model, as an event tells it.

import { nanoUsd } from "@/lib/base/money";
import type { StoredPriceChange } from "@/lib/events/catalogue";
import { kindNames, kinds, type Prices, type PriceTier, tierAt } from "@/lib/providers/prices";

/**
 * Each kind of token whose price changed, in each tier that one of both has. A kind that costs what input or output costs, before and after,
 * is not listed: it follows.
 */
export function priceChanges(before: Prices, after: Prices): StoredPriceChange[] {
  const lengths = [...new Set([...before, ...after].map(({ fromInputTokens }) => fromInputTokens))].sort((one, other) => one - other);
  return lengths.flatMap((length) => {
    const [old, fresh] = [tierAt(before, length), tierAt(after, length)];
    return kinds
      .filter((kind) => old[kind] !== fresh[kind] && !(follows(old, kind) && follows(fresh, kind)))
      .map((kind) => ({
        kind: kindNames[kind],
        before: perMillion(old[kind]),
        after: perMillion(fresh[kind]),
        ...(length > 0 && { fromInputTokens: length }),
      }));
  });
}

const perMillion = (price: bigint): string => nanoUsd(price * 1_000_000n).toString();

function follows(tier: PriceTier, kind: keyof typeof kindNames): boolean {
  if (kind === "input" || kind === "output") return false;
  return tier[kind] === tier[kind === "reasoning" ? "output" : "input"];
}
