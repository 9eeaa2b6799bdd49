// The kinds of tokens that counts are made of, in few words: "720 cached · 540 written". Nothing for a kind without tokens.

import { countText } from "@/components/ui/text/number-text";
import type { TokenCounts } from "@/lib/console/views/usage";

const joined = (parts: readonly [count: number, word: string][]): string =>
  parts.flatMap(([count, word]) => (count > 0 ? `${countText(count)} ${word}` : [])).join(" · ");

/** Parts of the input: read from the provider's cache, written into it, of images. */
export const inputParts = ({ cachedInputTokens, cacheWriteTokens, cacheWrite1hTokens, imageTokens }: TokenCounts): string =>
  joined([
    [cachedInputTokens, "cached"],
    [cacheWriteTokens + cacheWrite1hTokens, "written"],
    [imageTokens, "image"],
  ]);

export const outputParts = ({ reasoningTokens }: TokenCounts): string => joined([[reasoningTokens, "reasoning"]]);

/** Both in one line, for a phone. */
export const allParts = (counts: TokenCounts): string =>
  [inputParts(counts), outputParts(counts)].filter((part) => part !== "").join(" · ");
