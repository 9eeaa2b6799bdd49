// What the playground says of a run's cost: the lines sum to the charge, and no estimate is above the maximum.

import { createElement } from "react";
import { describe, expect, test } from "vitest";
import { drawPage } from "@/components/ui/testing/app-router";
import type { ModelPrice } from "@/lib/console/views/models";
import { findContextProblem } from "./context-fit";
import { costLines } from "./cost-lines";
import { estimateRun } from "./estimate";
import { newRun, type Run } from "./run";
import { RunFigures } from "./run-figures";

const fields = { model: "gpt-4", prompt: "Hi", system: undefined, maxTokens: 5, temperature: undefined };
const price = { inputPrice: "31.5", outputPrice: "63" };
const runOf = (changes: Partial<Run>): Run => ({ ...newRun(1, fields, { ceiling: 760_000_000n, price }), text: "Hello", ...changes });
/** The page's text alone. */
const draw = (run: Run): string => drawPage(createElement(RunFigures, { run, availableNow: 24_999_999_999n })).replace(/<[^>]+>/g, "");

describe("a run that went over its maximum", () => {
  // The ledger charges the maximum, the input first.
  const receipt = { inputTokens: 40_000, outputTokens: 87, inputCost: 760_000_000n, outputCost: 0n };

  test("shows every part at its price, and what was not charged", () => {
    const lines = costLines(runOf({ state: "done", receipt }));
    expect(lines).toEqual([
      { side: "input", tokens: 40_000, cost: 1_260_000_000n },
      { side: "output", tokens: 87, cost: 5_481_000n },
      { side: "waived", tokens: 0, cost: -505_481_000n },
    ]);
    expect(lines.reduce((sum, { cost }) => sum + cost, 0n)).toBe(760_000_000n);
    const page = draw(runOf({ state: "done", receipt }));
    expect(page).toContain("Output, 87 tokens$0.005481");
    expect(page).toContain("This run went over its maximum cost. You pay the maximum; we cover the rest.");
    expect(page).not.toMatch(/\$0\.00(?!\d)/);
  });

  test("is never estimated above it", () => {
    const writing = runOf({ state: "writing", fields: { ...fields, prompt: "x".repeat(200_000) } });
    expect(estimateRun(writing)).toBe(760_000_000n);
    expect(draw(writing)).toContain("Cost so far, at its maximum≈$0.76");
    expect(estimateRun({ ...writing, ceiling: null })).toBeNull();
  });
});

test("a run's parts are exact, and it says so when they are more than its estimate", () => {
  const receipt = { inputTokens: 4, outputTokens: 87, inputCost: 126_000n, outputCost: 5_481_000n };
  const page = draw(runOf({ state: "done", receipt }));
  expect(page).toContain("Input, 4 tokens$0.000126");
  expect(page).toContain("Output, 87 tokens$0.005481");
  expect(page).toContain("Charged$0.005607");
  expect(page).toContain("More than the estimate of $0.000252");
  expect(page).toContain("Available now: $24.999999999.");
  expect(page).not.toContain("before");
});

describe("a prompt and its model's context window", () => {
  const model = (id: string, contextWindow: number, inputPrice: string): ModelPrice => ({
    id,
    aliases: [],
    description: "",
    provider: "Test",
    contextWindow,
    maxOutputTokens: 100,
    takesImages: false,
    inputPrice,
    outputPrice: "1",
    prices: [],
  });
  const small = model("small", 8_000, "1");
  const models = [small, model("dear", 1_000_000, "9"), model("cheap", 200_000, "2"), model("tight", 12_000, "0.1")];
  const find = (prompt: string, inputTokens: number) =>
    findContextProblem({ ...fields, prompt }, small, { ceiling: 1n, available: 1n, affordableMaxTokens: 1, inputTokens }, models);

  test("one that fits is no problem, even where the bound counts bytes", () => {
    expect(find("x".repeat(4_000), 1_100)).toBeNull();
    expect(find("x".repeat(15_000), 8_000)).toBeNull();
  });

  test("one that is longer names the cheapest model that reads it", () => {
    expect(find("x".repeat(40_000), 8_000)).toMatchObject({ tokens: 10_003, isCertain: true, alternative: { id: "cheap" } });
    expect(find("x".repeat(20_000), 8_000)).toMatchObject({ isCertain: false, alternative: { id: "tight" } });
    expect(find("x".repeat(4_000_000), 8_000)).toMatchObject({ isCertain: true, alternative: null });
  });
});
