import { expect, test } from "vitest";
import { formatUnits, readUsdcText } from "./usdc-text";

test.each([
  ["5", 5_000_000n],
  [" $12.50 ", 12_500_000n],
  ["0.000001", 1n],
  ["1.10000000", 1_100_000n],
  ["007.5", 7_500_000n],
  ["9007199254740.993".slice(0, 12), 900_719_925_474_000_000n],
  ["123456789012.123456", 123_456_789_012_123_456n],
])("%j is read exactly", (text, units) => {
  expect(readUsdcText(text)).toBe(units);
});

test.each([
  ["", /Enter an amount/],
  ["5,00", /Enter digits/],
  ["1e3", /Enter digits/],
  ["+5", /Enter digits/],
  ["0x10", /Enter digits/],
  ["1 000", /Enter digits/],
  ["５", /Enter digits/],
  ["-1", /Enter digits/],
  [".5", /Enter digits/],
  ["5.", /Enter digits/],
  ["0.0000001", /at most 6/],
  ["0", /above zero/],
  ["0.000000", /above zero/],
  ["1234567890123", /more USDC than exists/],
])("%j is refused with what to enter instead", (text, words) => {
  expect(() => readUsdcText(text)).toThrow(words);
});

test("an amount is shown to its last digit", () => {
  expect([formatUnits(5_000_000n), formatUnits(1n)]).toEqual(["$5.00", "$0.000001"]);
});
