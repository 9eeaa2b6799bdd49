// Long texts: stretches that are divided are never bounded below their tokens, and slices count what the whole counts.

import fc from "fast-check";
import { expect, test } from "vitest";
import { isLong } from "../../db/testing/sample";
import type { ChatMessage } from "../conversation/messages";
import { borderChars, glue, scrap } from "../testing/scraps";
import { bounds, trueCount } from "../testing/tokenizers";
import { inputBoundForCall, inputBoundInSlices, inputTokenBound, scanRules } from "../token-bound";
import { countBytes, countBytesInSlices } from "./normal-form";
import { scanTokens, scanTokensInSlices } from "./scan";

const numRuns = isLong ? 100_000 : 1_500;

function expectBound(text: string, longestStretch: number): void {
  for (const bound of bounds) {
    const counted = scanTokens(text, scanRules[bound], longestStretch);
    const truth = trueCount[bound](text);
    if (counted < truth) throw new Error(`${bound}: ${counted} below ${truth} of ${JSON.stringify(text)}, divided after ${longestStretch}`);
  }
}

const stretch = fc.constantFrom(3, 6, 9, 30);

test("stretches divided anywhere are not bounded below their tokens", () => {
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 24 }).map(glue), stretch, (text, longest) => expectBound(text, longest)),
    { numRuns },
  );
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...borderChars), { maxLength: 20 }).map(glue), stretch, (text, longest) =>
      expectBound(text, longest),
    ),
    { numRuns },
  );
});

test.each([
  "a".repeat(40),
  "'s".repeat(20),
  "\n//////////////////-->",
  "\n////////////////////",
  `${"/".repeat(20)}\n${"/".repeat(20)}#`,
  `${" ".repeat(40)}word`,
  `word${"\n".repeat(40)}`,
  "1234567890123456789012345678901234",
  "日1234567890123456789012345678901234",
  "1234567890123456789012345678901234²",
  "camelCaseCAMELcaseCamelCASECamelCase",
  `don't${"t".repeat(20)}'s${"S".repeat(20)}`,
])("%j divided after every few characters", (text) => {
  for (const longest of [3, 6, 9, 12, 15, 18, 21]) expectBound(text, longest);
});

test("a stretch of a megabyte costs no more than a few tokens more than undivided", () => {
  for (const text of ["a", "aB", ";", " ", "\n", "1", "ACGT"]) {
    const long = text.repeat(Math.ceil(1_000_000 / text.length));
    for (const bound of bounds) {
      const whole = scanTokens(long, scanRules[bound], 3_000_000);
      const divided = inputTokenBound(long, bound);
      expect(divided).toBeGreaterThanOrEqual(whole);
      expect(divided - whole, `${JSON.stringify(text)} ${bound}`).toBeLessThanOrEqual(2 * 16);
    }
  }
});

/** Runs work, and counts where it gives way. */
function drain<Result>(work: Generator<void, Result, void>): { result: Result; steps: number } {
  let steps = 0;
  for (;;) {
    const step = work.next();
    if (step.done) return { result: step.value, steps };
    steps += 1;
  }
}

test("slices count what the whole counts, and give way", () => {
  for (const unit of ["word ", "日本", "👍", "x1;", "e\u0301", "a", "\ud83d"]) {
    const text = unit.repeat(200_000 / unit.length) + unit.slice(0, 1);
    for (const bound of bounds) {
      const { result, steps } = drain(scanTokensInSlices(text, scanRules[bound]));
      expect(result).toBe(inputTokenBound(text, bound));
      expect(steps).toBeGreaterThan(10);
    }
    expect(drain(countBytesInSlices(text)).result).toBe(countBytes(text));
  }
});

const arguments_ = JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`name${at}`, at])));
test.each<[what: string, messages: ChatMessage[]]>([
  ["many messages", Array(20_000).fill({ role: "user", content: "a" })],
  ["many parts", [{ role: "user", content: Array(20_000).fill({ type: "text", text: "a" }) }]],
  ["many calls", [{ role: "assistant", content: "", toolCalls: Array(20_000).fill({ id: "c", name: "f", arguments: "{}" }) }]],
  ["long arguments", [{ role: "assistant", content: "", toolCalls: [{ id: "c", name: "f", arguments: arguments_ }] }]],
  ["a long text", [{ role: "user", content: "word ".repeat(200_000) }]],
])("the bound of %s gives way, and ends early where it reaches the context window", (_what, messages) => {
  for (const bound of ["claude", "bytes"] as const) {
    const { result, steps } = drain(inputBoundInSlices({ messages }, bound));
    expect(result).toBe(inputBoundForCall({ messages }, bound));
    expect(steps).toBeGreaterThan(10);
  }
  const early = drain(inputBoundInSlices({ messages: [...messages, ...messages] }, "claude", 100));
  expect(early.result).toBeGreaterThanOrEqual(100);
  expect(early.steps).toBeLessThanOrEqual(drain(inputBoundInSlices({ messages }, "claude")).steps);
});
