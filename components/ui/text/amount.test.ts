// Amounts as pages show them.

import { createElement } from "react";
import { expect, test } from "vitest";
import { drawPage } from "../testing/app-router";
import { Amount, placesOf } from "./amount";
import { HeadlineAmount } from "./headline-amount";

const headline = (nano: bigint) => drawPage(createElement(HeadlineAmount, { nano }));
const wordsOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
/** What a screen reader reads. */
const spokenOf = (html: string) => wordsOf(html.replaceAll(/<span aria-hidden="true"[^>]*>[^<]*<\/span>/g, ""));

test("a headline shows cents, and gives the exact amount to a keyboard, a tap and a screen reader", () => {
  const html = headline(19_723_456_789n);
  expect(html).toMatch(/^<button type="button"/);
  expect(wordsOf(html)).toBe("$19.723456789 $19.72 $19.723456789");
  expect(spokenOf(html)).toBe("$19.723456789");
  expect(html).toContain("group-hover:block group-focus:block");
});

test("a headline below one cent is not shown as nothing", () => {
  expect(wordsOf(headline(1_440_000n))).toContain("&lt;$0.01");
  expect(spokenOf(headline(1_440_000n))).toBe("$0.00144");
});

test("a headline that is exact in cents is plain text", () => {
  expect(headline(25_000_000_000n)).toBe('<span class="whitespace-nowrap">$25.00</span>');
  expect(wordsOf(headline(0n))).toBe("$0.00");
});

test("all rows of a column have as many decimals as the longest one needs", () => {
  const column = [5_000_000_000n, 1_440_000n, 0n, -20_000_000n];
  const places = placesOf(column);
  const texts = column.map((nano) => drawPage(createElement(Amount, { nano, places })).replaceAll(/<[^>]+>/g, ""));
  expect(texts).toEqual(["$5.00000", "$0.00144", "$0.00000", "-$0.02000"]);
});
