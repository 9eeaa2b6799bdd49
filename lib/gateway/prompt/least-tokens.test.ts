// Our own counts, used only when a provider gave none.

import fc from "fast-check";
import { expect, test } from "vitest";
import { fixtures, glue, prose, scrap } from "@/lib/providers/testing/scraps";
import { trueCount } from "@/lib/providers/testing/tokenizers";
import { estimateUsage, leastTokens } from "./completion";

test("four bytes are a token, and each message adds three; the input never exceeds its held bound", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), fc.nat(1_000), (prompt, answer, bound) => {
      const usage = estimateUsage({ messages: [{ role: "user", content: prompt }] }, answer, bound);
      expect(usage.inputTokens).toBe(Math.min(bound, 3 + Math.ceil(Buffer.byteLength(prompt) / 4)));
      expect(usage.outputTokens).toBe(Math.ceil(Buffer.byteLength(answer) / 4));
      expect([usage.cachedInputTokens, usage.reasoningTokens]).toEqual([0, 0]);
    }),
  );
});

test("nothing delivered counts as zero", () => {
  expect(estimateUsage({ messages: [] }, "", 100)).toMatchObject({ inputTokens: 0, outputTokens: 0 });
});

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
