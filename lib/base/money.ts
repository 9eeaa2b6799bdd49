// Money is whole nano-USD (10⁻⁹ USD) in a bigint, everywhere. One USDC base unit is 1,000 nano-USD. Floats never touch it:
// text goes in and comes out digit by digit.

declare const nanoUsdBrand: unique symbol;

/** An amount in nano-USD (10⁻⁹ USD). */
export type NanoUsd = bigint & { readonly [nanoUsdBrand]: true };

const NANO_PER_USD = 1_000_000_000n;
const NANO_PER_CENT = 10_000_000n;
const NANO_PER_USDC_UNIT = 1_000n;
/** The maximum of a database bigint: about 9.2 billion USD. */
const MAX_NANO_USD = 9_223_372_036_854_775_807n;
/** Parsing digits takes quadratic time: a text of megabytes would block the process for seconds. */
const MAX_USD_TEXT = 100;

/** Marks a whole number of nano-USD as money. */
export const nanoUsd = (value: bigint | number): NanoUsd => BigInt(value) as NanoUsd;

export const ZERO_USD = nanoUsd(0n);

/** USDC base units (6 decimals) to nano-USD. */
export const fromUsdcUnits = (units: bigint): NanoUsd => nanoUsd(units * NANO_PER_USDC_UNIT);

/** USD cents to nano-USD. */
export const fromCents = (cents: bigint | number): NanoUsd => nanoUsd(BigInt(cents) * NANO_PER_CENT);

/**
 * Reads a decimal amount of USD ("12", "0.002", "1e-6") exactly.
 * @throws RangeError when it is not a decimal number, has more than 9 decimal places, or exceeds what the ledger can hold
 */
export function parseUsd(text: string): NanoUsd {
  const match = text.length > MAX_USD_TEXT ? null : /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text.trim());
  if (!match) throw new RangeError(`"${text.slice(0, 40)}" is not an amount of USD; write it like 12.50`);
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const places = fraction.length - Number(exponent) - 9;
  const digits = BigInt(whole + fraction);
  const scale = 10n ** BigInt(Math.abs(places));
  if (places > 0 && digits % scale !== 0n) {
    throw new RangeError(`${text.slice(0, 40)} USD is finer than a nano-USD; use at most 9 decimal places`);
  }
  const value = places > 0 ? digits / scale : digits * scale;
  if (value > MAX_NANO_USD) throw new RangeError(`${text.slice(0, 40)} USD is more than the ledger can hold`);
  return nanoUsd(sign ? -value : value);
}

/** Exact decimal text of an amount in USD without trailing zeros, as JSON carries it: `0.00144`, `25`, `-3.5`. */
export function usdText(amount: bigint): string {
  const magnitude = amount < 0n ? -amount : amount;
  const whole = `${amount < 0n ? "-" : ""}${magnitude / NANO_PER_USD}`;
  const rest = magnitude % NANO_PER_USD;
  if (rest === 0n) return whole;
  const decimals = rest.toString().padStart(9, "0");
  return `${whole}.${decimals.replace(/(?<!0)0+$/, "")}`;
}

/** For people: a dollar sign and two to nine decimal places, never rounded: `$25.00`, `$0.001440001`. */
export function formatUsd(amount: bigint): string {
  const [whole = "0", fraction = ""] = usdText(amount < 0n ? -amount : amount).split(".");
  return `${amount < 0n ? "-" : ""}$${groupThousands(whole)}.${fraction.padEnd(2, "0")}`;
}

/** `1250000` as `1,250,000`. */
export function groupThousands(digits: string): string {
  const first = digits.length % 3;
  const groups = digits.slice(first).match(/\d{3}/g) ?? [];
  return [...(first > 0 ? [digits.slice(0, first)] : []), ...groups].join(",");
}

/** For headlines: whole cents, rounded down, so that no balance looks larger than it is. Above zero and below one cent: `<$0.01`. */
export function formatCents(amount: bigint): string {
  if (amount > 0n && amount < NANO_PER_CENT) return "<$0.01";
  const rest = amount % NANO_PER_CENT;
  return formatUsd(amount - (rest < 0n ? rest + NANO_PER_CENT : rest));
}

/** For sentences: exact, and without cents where there are none: `$100`, `$0.50`. */
export const formatShortUsd = (amount: bigint): string => formatUsd(amount).replace(/\.00$/, "");
