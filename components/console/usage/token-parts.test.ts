import { expect, test } from "vitest";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import { allParts, inputParts, outputParts } from "./token-parts";

const counts = {
  ...noTokens,
  inputTokens: 12_000,
  outputTokens: 900,
  cachedInputTokens: 7_200,
  cacheWriteTokens: 1_000,
  cacheWrite1hTokens: 500,
  imageTokens: 85,
  reasoningTokens: 300,
};
const none = { ...noTokens, inputTokens: 12_000, outputTokens: 900 };

test("each kind that a charge has is named with its tokens, and both lifetimes of a cache write together", () => {
  expect(inputParts(counts)).toBe("7,200 cached · 1,500 written · 85 image");
  expect(outputParts(counts)).toBe("300 reasoning");
  expect(allParts(counts)).toBe("7,200 cached · 1,500 written · 85 image · 300 reasoning");
  expect(allParts({ ...counts, ...none, reasoningTokens: 1 })).toBe("1 reasoning");
});

test("a charge of plain input and output says nothing more", () => {
  expect([inputParts({ ...counts, ...none }), outputParts({ ...counts, ...none }), allParts({ ...counts, ...none })]).toEqual(["", "", ""]);
});
