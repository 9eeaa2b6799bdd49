import fc from "fast-check";
import { expect, test } from "vitest";
import { cases, caseTimeoutMs } from "@/lib/ledger/testing/cases";
import { formatCents, formatShortUsd, formatUsd, fromCents, fromUsdcUnits, nanoUsd, parseUsd, usdText } from "./money";

const MOST = 9_223_372_036_854_775_807n;
const amount = fc.oneof(fc.bigInt({ min: -MOST, max: MOST }), fc.bigInt({ min: -2_000_000_000n, max: 2_000_000_000n }));

test("every amount is read back from its text, to the last nano-dollar", { timeout: caseTimeoutMs }, () => {
  fc.assert(
    fc.property(amount, (value) => {
      expect(parseUsd(usdText(value))).toBe(value);
    }),
    cases(5_000),
  );
});

test("the text of an amount is a plain decimal number without trailing zeros, as JSON allows", { timeout: caseTimeoutMs }, () => {
  fc.assert(
    fc.property(amount, (value) => {
      expect(usdText(value)).toMatch(/^-?(0|[1-9]\d*)(\.\d{0,8}[1-9])?$/);
    }),
    cases(5_000),
  );
});

test("every notation of an amount is read as the same amount", { timeout: caseTimeoutMs }, () => {
  const written = fc.record({
    digits: fc.bigInt({ min: 0n, max: 9_000_000_000n }),
    places: fc.integer({ min: 0, max: 9 }),
    exponent: fc.integer({ min: 0, max: 6 }),
    zeros: fc.integer({ min: 0, max: 12 }),
  });
  fc.assert(
    fc.property(written, ({ digits, places, exponent, zeros }) => {
      const expected = digits * 10n ** BigInt(9 - places);
      const padded = digits.toString().padStart(places + 1, "0");
      const text = `${padded.slice(0, padded.length - places)}.${padded.slice(padded.length - places)}${"0".repeat(zeros + 1)}`;
      expect(parseUsd(text)).toBe(expected);
      expect(parseUsd(`-${text}`)).toBe(-expected);
      expect(parseUsd(` ${text} `)).toBe(expected);
      // 12.5 = 12500000e-6
      expect(parseUsd(`${digits}e${-places}`)).toBe(expected);
      expect(parseUsd(`${digits}e-${places}`)).toBe(parseUsd(`${digits}E-${places}`));
      expect(parseUsd(`${digits * 10n ** BigInt(exponent)}e-${places + exponent}`)).toBe(expected);
    }),
    cases(2_000),
  );
});

test("a price that a float holds exactly is read exactly from its JSON.stringify text", () => {
  expect(parseUsd(JSON.stringify(1e-6))).toBe(1_000n);
  expect(parseUsd(JSON.stringify(2.5e-7))).toBe(250n);
  expect(parseUsd("1e-9")).toBe(1n);
  expect(parseUsd("9223372036.854775807")).toBe(MOST);
});

test.each([
  "",
  " ",
  "-",
  ".5",
  "5.",
  "+1",
  "1,000",
  "0x10",
  "1e",
  "1e100",
  "NaN",
  "Infinity",
  "1_000",
  "1 000",
  "--1",
  "١",
  "1.2.3",
  "$1",
  "1\n2",
])("%j is not an amount, and the message says how to write one", (text) => {
  expect(() => parseUsd(text)).toThrow(/is not an amount of USD; write it like 12\.50/);
});

test("an amount finer than a nano-dollar is refused, never rounded", () => {
  expect(() => parseUsd("0.0000000001")).toThrow(/use at most 9 decimal places/);
  expect(() => parseUsd("1e-10")).toThrow(/use at most 9 decimal places/);
  expect(parseUsd("0.00000000100000")).toBe(1n);
});

test("an amount that the ledger cannot hold is refused", () => {
  expect(() => parseUsd("9223372036.854775808")).toThrow(/more than the ledger can hold/);
  expect(() => parseUsd("-9223372036.854775808")).toThrow(/more than the ledger can hold/);
  expect(() => parseUsd("1e99")).toThrow(/more than the ledger can hold/);
});

test("an amount of a million digits is refused without being computed", () => {
  expect(() => parseUsd("9".repeat(1_000_000))).toThrow(/is not an amount of USD/);
  expect(() => parseUsd(`0.${"0".repeat(1_000_000)}`)).toThrow(/is not an amount of USD/);
});

test("text for people has two to nine decimal places, never rounded", { timeout: caseTimeoutMs }, () => {
  expect(formatUsd(25_000_000_000n)).toBe("$25.00");
  expect(formatUsd(1_440_001n)).toBe("$0.001440001");
  expect(formatUsd(-1_234_567_500_000_000n)).toBe("-$1,234,567.50");
  fc.assert(
    fc.property(amount, (value) => {
      const text = formatUsd(value);
      expect(text).toMatch(/^-?\$\d{1,3}(,\d{3})*\.\d{2,9}$/);
      expect(parseUsd(text.replace(/[$,]/g, ""))).toBe(value);
    }),
    cases(2_000),
  );
});

test("a headline is whole cents, never more than the amount, and never $0.00 for an amount above zero", { timeout: caseTimeoutMs }, () => {
  expect(formatCents(19_729_999_999n)).toBe("$19.72");
  expect(formatCents(25_000_000_000n)).toBe("$25.00");
  expect(formatCents(1_440_001n)).toBe("<$0.01");
  expect(formatCents(0n)).toBe("$0.00");
  expect(formatCents(-1n)).toBe("-$0.01");
  expect(formatCents(-3_500_000_000n)).toBe("-$3.50");
  fc.assert(
    fc.property(amount, (value) => {
      if ((value > 0n && value < 10_000_000n) || value < 10_000_000n - MOST) return;
      const shown = parseUsd(formatCents(value).replace(/[$,]/g, ""));
      expect(value - shown).toBeGreaterThanOrEqual(0n);
      expect(value - shown).toBeLessThan(10_000_000n);
    }),
    cases(500),
  );
});

test("a sentence names whole dollars without cents", () => {
  expect(formatShortUsd(100_000_000_000n)).toBe("$100");
  expect(formatShortUsd(500_000_000n)).toBe("$0.50");
  expect(formatShortUsd(1_234_567_000n)).toBe("$1.234567");
});

test("units are converted exactly, and a fraction of a unit is refused", () => {
  expect(fromUsdcUnits(1n)).toBe(1_000n);
  expect(fromCents(1)).toBe(10_000_000n);
  expect(fromCents(2_500n)).toBe(25_000_000_000n);
  expect(() => nanoUsd(0.5)).toThrow(RangeError);
  expect(() => fromCents(0.1)).toThrow(RangeError);
});
