// The kinds of tokens that counts are made of, in few words: "720 cached · 540 written". Nothing for a kind without tokens.

import { countText } from "@/components/ui/text/number-text";
import { partKinds, type Side, type TokenCounts, tokenKinds } from "@/lib/base/tokens/token-kinds";

/** Kinds of the same word are one sum. */
function partsOf(counts: TokenCounts, isShown: (side: Side) => boolean): string {
  const sums = new Map<string, number>();
  for (const kind of partKinds) {
    const { count, short, partOf } = tokenKinds[kind];
    if (isShown(partOf) && counts[count] > 0) sums.set(short, (sums.get(short) ?? 0) + counts[count]);
  }
  return [...sums].map(([word, tokens]) => `${countText(tokens)} ${word}`).join(" · ");
}

export const inputParts = (counts: TokenCounts): string => partsOf(counts, (side) => side === "input");
export const outputParts = (counts: TokenCounts): string => partsOf(counts, (side) => side === "output");

/** Both in one line, for a phone. */
export const allParts = (counts: TokenCounts): string => partsOf(counts, () => true);
