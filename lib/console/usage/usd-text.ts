// USD amounts as people type them: parsed more strictly than in the API, since a misread cap costs money.

import { formatUsd, type NanoUsd, nanoUsd, parseUsd, ZERO_USD } from "@/lib/base/money";

const MOST = nanoUsd(1_000_000_000_000_000_000n);

/**
 * Reads an amount above zero: `5`, `0.25`, `$12.50`.
 * @throws RangeError that says how to write it
 */
export function readUsdText(text: string): NanoUsd {
  const amount = text.trim().replace(/^\$\s*/, "");
  if (amount === "") throw new RangeError("Enter an amount, like 5 or 0.25.");
  if (amount.includes(",")) throw new RangeError("Leave out commas and use a point for the cents, like 1250.50.");
  if (/^[-−]/.test(amount)) throw new RangeError("The amount must be above zero.");
  if (!/^\d{1,30}(\.\d{1,30})?$/.test(amount)) throw new RangeError("Use only digits and a decimal point, like 5 or 0.25.");
  if (/\.\d{9}0*[1-9]/.test(amount)) throw new RangeError("Use at most 9 decimal places.");
  const [whole = "", fraction = ""] = amount.split(".");
  if (whole.replace(/^0+/, "").length > 10) throw new RangeError(`Maximum: ${formatUsd(MOST)}.`);
  const value = parseUsd(`${whole}.${fraction.slice(0, 9).padEnd(1, "0")}`);
  if (value === ZERO_USD) throw new RangeError("The amount must be above zero.");
  if (value > MOST) throw new RangeError(`Maximum: ${formatUsd(MOST)}.`);
  return value;
}
