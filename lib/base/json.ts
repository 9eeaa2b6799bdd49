// JSON for replies. A bigint is always nano-USD and is written as an exact decimal number of USD; JSON.stringify could
// only write it as a rounded float or a string.

import { usdText } from "./money";

/** A value that `writeJson` can write; bigint means nano-USD. */
export type Json = string | number | boolean | null | undefined | bigint | Date | readonly Json[] | { readonly [key: string]: Json };

/** Writes a reply body. Leaves out undefined properties, as JSON.stringify does. */
export function writeJson(value: Json): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "bigint") return usdText(value);
  if (typeof value !== "object" || value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  const parts: string[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) parts.push(`${JSON.stringify(key)}:${writeJson(item)}`);
  }
  return `{${parts.join(",")}}`;
}

/**
 * False for a value nested deeper than `levels`: JSON.parse reads it, but JSON.stringify may be unable to write it. Stops at the
 * limit, so that a million brackets cost no more than a hundred.
 */
export function isNestedWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((inner) => isNestedWithin(inner, levels - 1));
  // Object.values would take twice as long for an object of many names.
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.keys(fields).every((name) => isNestedWithin(fields[name], levels - 1));
}
