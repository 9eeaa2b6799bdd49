import fc from "fast-check";
import { expect, test } from "vitest";
import { countInputTokens, countTokens, splitIntoTokens } from "./tokens";

const anyText = fc.string({ unit: "binary", maxLength: 200 });

test("a text costs at least one token and never more than its UTF-8 bytes", () => {
  expect(countTokens("")).toBe(1);
  expect(countTokens("one")).toBe(1);
  expect(countTokens("Is this four?")).toBe(4);
  fc.assert(
    fc.property(
      anyText.filter((text) => text !== ""),
      (text) => {
        expect(countTokens(text)).toBeGreaterThanOrEqual(1);
        expect(countTokens(text)).toBeLessThanOrEqual(Buffer.byteLength(text));
      },
    ),
  );
});

test("a prompt costs at most its bytes plus eight tokens per message", () => {
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 1, maxLength: 5 }), (texts) => {
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      expect(countInputTokens(texts.map((text) => ({ text })))).toBeLessThanOrEqual(bytes + 8 * texts.length);
    }),
  );
});

test("a text's tokens join to the text, and their number is its cost", () => {
  fc.assert(
    fc.property(
      anyText.filter((text) => text !== ""),
      fc.nat(60),
      (text, limit) => {
        const tokens = splitIntoTokens(text, Number.POSITIVE_INFINITY);
        expect(tokens.join("")).toBe(text);
        expect(tokens).toHaveLength(countTokens(text));
        expect(splitIntoTokens(text, limit)).toEqual(tokens.slice(0, limit));
      },
    ),
  );
});
