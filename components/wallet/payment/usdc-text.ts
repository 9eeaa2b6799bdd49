// USDC amounts as people type them: whole millionths, read digit by digit.

import { formatUsd, fromUsdcUnits } from "@/lib/base/money";
import { readDecimal } from "@/lib/base/typed/amount-text";

const PLACES = 6;
/** More than all USDC in existence. */
const MAX_DIGITS = 12;

/**
 * Reads an amount above zero into millionths of a USDC: `5`, `0.25`, `$12.50`.
 * @throws RangeError that says how to write it
 */
export function readUsdcText(text: string): bigint {
  if (text.replace("$", "").trim() === "") throw new RangeError("Enter an amount, like 5 or 12.50.");
  const decimal = readDecimal(text);
  if (!decimal) throw new RangeError("Enter digits with a decimal point, like 1250.50.");
  const { whole, fraction } = decimal;
  if (fraction.replace(/(?<!0)0+$/, "").length > PLACES) throw new RangeError("Use at most 6 decimal places.");
  if (whole.replace(/^0+/, "").length > MAX_DIGITS) throw new RangeError("That is more USDC than exists.");
  const units = BigInt(whole + fraction.slice(0, PLACES).padEnd(PLACES, "0"));
  if (units === 0n) throw new RangeError("Enter an amount above zero.");
  return units;
}

/** `$5.00` */
export const formatUnits = (units: bigint): string => formatUsd(fromUsdcUnits(units));
