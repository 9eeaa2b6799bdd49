// The words and numbers of a text, which no tokenizer makes fewer tokens of.

import fc from "fast-check";
import { expect, test } from "vitest";
import { fixtures, glue, prose, scrap } from "@/lib/providers/testing/scraps";
import { trueCount } from "@/lib/providers/testing/tokenizers";
import { leastTokens } from "./least-tokens";

function expectLeast(text: string): void {
  const least = leastTokens(text);
  for (const [name, count] of Object.entries(trueCount)) {
    const truth = count(text);
    if (least > truth) throw new Error(`${name}: ${least} above ${truth} of ${JSON.stringify(text)}`);
  }
}

test("what is certainly owed is never more than any tokenizer counts", () => {
  for (const [, text] of fixtures) {
    expectLeast(text);
    for (let start = 0; start < text.length; start += 97) expectLeast(text.slice(start, start + 211));
  }
  for (const text of [
    "",
    " ".repeat(5_000),
    "a".repeat(5_000),
    "0123456789".repeat(300),
    "don't won't",
    "日本語のテキスト",
    "😀".repeat(50),
  ])
    expectLeast(text);
  fc.assert(fc.property(fc.array(scrap, { maxLength: 24 }).map(glue), expectLeast), { numRuns: 500 });
});

test("of prose it is no less than two thirds of the tokens", () => {
  for (const [, text] of prose) expect(leastTokens(text)).toBeGreaterThan((2 / 3) * trueCount.o200k(text));
});
