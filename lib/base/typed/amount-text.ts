// Amounts as people type them, on every page: one parser, stricter than the API's, since a misread cap costs money. No exponents, signs,
// separators or spaces inside, and ASCII digits only: what one person reads as a thousand another reads as one.

import { formatUsd, type NanoUsd, nanoUsd, parseUsd, ZERO_USD } from "../money";

const MOST = nanoUsd(1_000_000_000_000_000_000n);

/** The digits before and after the point: `5`, `0.25`, `$12.50`. Null for anything else, and for an empty text. */
export function readDecimal(text: string): { whole: string; fraction: string } | null {
  const match = /^(?:\$\s*)?(\d{1,30})(?:\.(\d{1,30}))?$/.exec(text.trim());
  return match && { whole: match[1] ?? "", fraction: match[2] ?? "" };
}

/**
 * Reads an amount above zero: `5`, `0.25`, `$12.50`.
 * @throws RangeError that says how to write it
 */
export function readUsdText(text: string): NanoUsd {
  const amount = text.trim().replace(/^\$\s*/, "");
  if (amount === "") throw new RangeError("Enter an amount, like 5 or 0.25.");
  if (amount.includes(",")) throw new RangeError("Leave out commas and use a point for the cents, like 1250.50.");
  if (/^[-−]/.test(amount)) throw new RangeError("The amount must be above zero.");
  const decimal = readDecimal(amount);
  if (!decimal) throw new RangeError("Use only digits and a decimal point, like 5 or 0.25.");
  const { whole, fraction } = decimal;
  if (/[1-9]/.test(fraction.slice(9))) throw new RangeError("Use at most 9 decimal places.");
  if (whole.replace(/^0+/, "").length > 10) throw new RangeError(`Maximum: ${formatUsd(MOST)}.`);
  const value = parseUsd(`${whole}.${fraction.slice(0, 9).padEnd(1, "0")}`);
  if (value === ZERO_USD) throw new RangeError("The amount must be above zero.");
  if (value > MOST) throw new RangeError(`Maximum: ${formatUsd(MOST)}.`);
  return value;
}
