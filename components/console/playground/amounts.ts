// Amounts of USD out of JSON text, digit by digit: numbers of a parsed value would be floats.

import { type NanoUsd, parseUsd } from "@/lib/base/money";

/** The first amount called `name` in this JSON text, or null. Text inside strings has its quotes escaped, so it is never found. */
export function readAmount(json: string, name: string): NanoUsd | null {
  const digits = new RegExp(`"${name}":(-?[0-9.]+)`).exec(json)?.[1];
  return digits === undefined ? null : parseUsd(digits);
}
