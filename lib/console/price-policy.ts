// How prices are set, told from the catalogue that requests are charged by: the margin over the provider's list price, and the models whose
// price is another one.

import { listModels } from "@/lib/providers/catalogue";
import { followsMargin, MARGIN_PERCENT } from "@/lib/providers/catalogue-data/row";

export interface PricePolicy {
  marginPercent: number;
  /** Ids of the models that are sold at a price of their own. */
  ownPrices: readonly string[];
}

export const readPricePolicy = (): PricePolicy => ({
  marginPercent: Number(MARGIN_PERCENT),
  ownPrices: listModels()
    .filter((model) => !followsMargin(model))
    .map(({ id }) => id),
});

/** The rule in a sentence, for pages that list prices. */
export function pricePolicyText({ marginPercent, ownPrices }: PricePolicy, modelCount: number): string {
  const rule = `the provider’s list price plus ${marginPercent}%`;
  if (ownPrices.length === 0) return `Every model costs ${rule}.`;
  if (ownPrices.length === modelCount) return "Every model has the price shown here.";
  return `Models cost ${rule}, except ${numberWord(ownPrices.length)} with a fixed price.`;
}

const words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const numberWord = (count: number): string => words[count] ?? `${count}`;
