import { expect, test } from "vitest";
import { readUsdText } from "./amount-text";

test.each([
  ["5", 5_000_000_000n],
  [" 0.25 ", 250_000_000n],
  ["$12.50", 12_500_000_000n],
  ["$ 1", 1_000_000_000n],
  ["0.000000001", 1n],
  ["1.500000000000", 1_500_000_000n],
  ["007", 7_000_000_000n],
  ["1000000000", 1_000_000_000_000_000_000n],
])("%j is read to the last nano-dollar", (text, amount) => {
  expect(readUsdText(text)).toBe(amount);
});

test.each([
  ["", "Enter an amount"],
  ["   ", "Enter an amount"],
  ["$", "Enter an amount"],
  ["0.0000000001", "at most 9 decimal places"],
  ["1.12345678901", "at most 9 decimal places"],
  ["-1", "above zero"],
  ["−1", "above zero"],
  ["0", "above zero"],
  ["0.000", "above zero"],
  ["1e3", "Use only digits"],
  ["1E-3", "Use only digits"],
  ["0x10", "Use only digits"],
  ["+5", "Use only digits"],
  [".5", "Use only digits"],
  ["5.", "Use only digits"],
  ["five", "Use only digits"],
  ["５", "Use only digits"],
  ["1 000", "Use only digits"],
  ["Infinity", "Use only digits"],
  ["NaN", "Use only digits"],
  ["1,50", "Leave out commas"],
  ["1,000.00", "Leave out commas"],
  ["1000000000.000000001", "Maximum: $1,000,000,000.00"],
  ["99999999999999999999", "Maximum: $"],
  ["9".repeat(400), "Use only digits"],
])("%j is refused with its fix", (text, words) => {
  expect(() => readUsdText(text)).toThrow(new RegExp(words.replace(/[$.]/g, "\\$&")));
  expect(() => readUsdText(text)).toThrow(RangeError);
});
