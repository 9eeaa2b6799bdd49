// For tests of bounds: texts of many kinds, and fragments of them to be combined in any order.

import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { readWords } from "../token-bound/table";
import table from "../token-bound/table.json";

function readFixtures(folder: string): [string, string][] {
  const base = new URL(`../token-bound/fixtures/${folder}/`, import.meta.url);
  return readdirSync(base)
    .sort()
    .map((name) => [`${folder}/${name}`, readFileSync(new URL(name, base), "utf8")]);
}

export const prose = readFixtures("prose");
export const fixtures = [...prose, ...readFixtures("code"), ...readFixtures("scripts")];
const fixtureWords = [...new Set(fixtures.flatMap(([, text]) => text.split(/\s+/)))].filter((word) => word.length < 40);
export const tableWords = [table.bareAndSpaced, table.bare, table.spaced].flatMap(readWords);

export const borderChars = [
  ..."'’\"/*.,-_(=<#@$0 19 \n\r\t\u000b\u0000asStTdmrRelLvVeEBé日️ſ́\u00a0\u3000\u200d²٣ǅ—",
  "\ud83d",
  "👍",
  "'s",
  "'LL",
  "the",
  "Don",
];
export const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
export const anyCodeUnit = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }),
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0x80, max: 0x6ff }),
  fc.integer({ min: 0x300, max: 0x36f }),
  fc.integer({ min: 0x1f00, max: 0x20ff }),
  fc.integer({ min: 0xd800, max: 0xdfff }),
  fc.constantFrom(0x200b, 0x200d, 0xfe0f, 0xfdfa, 0xfeff, 0x2028, 0x85),
);
export const scrap = fc.oneof(
  fc.constantFrom(...fixtureWords),
  fc.constantFrom(...tableWords),
  fc.constantFrom(...borderChars),
  fc.constantFrom(" ", " ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "    ", "'", "'s ", "n't ", "👩‍👩‍👧‍👦", "🏳️‍🌈", "مرحبا", "สวัสดี"),
  fc.integer().map(String),
  fc.tuple(letter, fc.integer({ min: 1, max: 70 })).map(([char, count]) => char.repeat(count)),
  fc
    .tuple(fc.constantFrom(" ", "\n", "\t", "-", "=", "*", "#", "."), fc.integer({ min: 1, max: 130 }))
    .map(([char, count]) => char.repeat(count)),
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.string({ unit: "grapheme", maxLength: 5 }),
);

export function glue(parts: readonly string[]): string {
  return parts.join("");
}
