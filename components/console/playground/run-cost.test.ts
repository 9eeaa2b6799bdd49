// What the playground says of a run's cost: the lines sum to the charge, and no estimate is above the maximum.

import { createElement } from "react";
import { describe, expect, test } from "vitest";
import { drawPage } from "@/components/ui/testing/app-router";
import { whenLeftText } from "@/lib/base/when-left";
import type { ModelPrice } from "@/lib/console/views/models";
import { Answer } from "./chat/answer";
import { findContextProblem } from "./context-fit";
import { costLines } from "./cost-lines";
import { estimateRun } from "./estimate";
import { newRun, type Run, type RunCost, type RunReceipt } from "./run";
import { RunFigures } from "./run-figures";
import { StopNote } from "./stop-note";
import { awaitCost } from "./use-run-costs";

const fields = { model: "gpt-4", prompt: "Hi", system: undefined, maxTokens: 5, temperature: undefined };
const price = { inputPrice: "31.5", outputPrice: "63" };
const runOf = (changes: Partial<Run>): Run => ({
  ...newRun(1, fields, { ceiling: 760_000_000n, price, whenLeft: "cut" }),
  text: "Hello",
  ...changes,
});
/** The page's text alone. */
const draw = (run: Run): string => drawPage(createElement(RunFigures, { run, availableNow: 24_999_999_999n })).replace(/<[^>]+>/g, "");

describe("a run that went over its maximum", () => {
  // The ledger charges the maximum, the input first.
  const answered: RunReceipt = { inputTokens: 40_000, outputTokens: 87, inputCost: 760_000_000n, outputCost: 0n, lines: [], borne: 0n };
  const receipt: RunReceipt = {
    ...answered,
    lines: [
      { kind: "input", tokens: 40_000, due: 1_260_000_000n },
      { kind: "output", tokens: 87, due: 5_481_000n },
    ],
    borne: 505_481_000n,
  };

  test("shows every part as its receipt has it, and what was not charged", () => {
    const lines = costLines(runOf({ state: "done", receipt }));
    expect(lines).toEqual([
      { kind: "input", tokens: 40_000, cost: 1_260_000_000n },
      { kind: "output", tokens: 87, cost: 5_481_000n },
      { kind: "borne", tokens: 0, cost: -505_481_000n },
    ]);
    expect(lines.reduce((sum, { cost }) => sum + cost, 0n)).toBe(760_000_000n);
    const page = draw(runOf({ state: "done", receipt }));
    expect(page).toContain("Output, 87 tokens$0.005481");
    expect(page).toContain("This run went over its maximum cost. You pay the maximum; we cover the rest.");
    expect(page).not.toMatch(/\$0\.00(?!\d)/);
  });

  test("shows until then what came with the answer, and derives nothing from it", () => {
    const page = draw(runOf({ state: "done", receipt: answered }));
    expect(page).toContain("Input, 40,000 tokens$0.76");
    expect(page).toContain("Charged$0.76");
    expect(page).not.toMatch(/not charged|went over/);
  });

  test("is never estimated above it", () => {
    const writing = runOf({ state: "writing", fields: { ...fields, prompt: "x".repeat(200_000) } });
    expect(estimateRun(writing)).toBe(760_000_000n);
    expect(draw(writing)).toContain("Cost so far, at its maximum≈$0.76");
    expect(estimateRun({ ...writing, ceiling: null })).toBeNull();
  });
});

test("a prompt that was read from the cache shows its cheaper input, and that nothing was left uncharged", () => {
  const receipt: RunReceipt = {
    ...{ inputTokens: 2_012, outputTokens: 10, inputCost: 6_678_000n, outputCost: 630_000n },
    lines: [
      { kind: "input", tokens: 12, due: 378_000n },
      { kind: "cache_read", tokens: 2_000, due: 6_300_000n },
      { kind: "output", tokens: 10, due: 630_000n },
    ],
    borne: 0n,
  };
  for (const known of [receipt, { ...receipt, lines: [] }]) {
    const page = draw(runOf({ state: "done", receipt: known }));
    expect(page).toContain("Charged$0.007308");
    expect(page).not.toMatch(/Above the maximum|not charged|went over/);
  }
  const page = draw(runOf({ state: "done", receipt }));
  expect(page).toContain("Input, 12 tokens$0.000378");
  expect(page).toContain("Cached input, 2,000 tokens$0.0063");
});

describe("a run that was stopped", () => {
  const drawPanel = (run: Run): string =>
    drawPage(
      createElement(Answer, {
        ...{ run, availableNow: null, isNewest: true, mayAsk: true },
        ...{ onLower: () => undefined, onAgain: () => undefined, onAllow: () => undefined },
      }),
    );
  const receipt: RunReceipt = { inputTokens: 4, outputTokens: 9_000, inputCost: 126_000n, outputCost: 567_000_000n, lines: [], borne: 0n };

  test.each(["cut", "drained"] as const)("says what that means while it runs and afterwards, in the same words: %s", (whenLeft) => {
    // At the Stop button, then in its turn.
    expect(drawPage(createElement(StopNote, { run: runOf({ state: "writing", whenLeft }) }))).toContain(whenLeftText[whenLeft]);
    expect(drawPanel(runOf({ state: "stopped", whenLeft }))).toContain(whenLeftText[whenLeft]);
    expect(drawPanel(runOf({ state: "stopped", whenLeft, receipt }))).toContain(whenLeftText[whenLeft]);
    expect(drawPanel(runOf({ state: "done", whenLeft, receipt }))).not.toContain(whenLeftText[whenLeft]);
  });

  test("is not estimated while it goes on at the provider", () => {
    const finishing = draw(runOf({ state: "stopped", whenLeft: "drained", isFinishing: true }));
    expect(finishing).toContain("Costfinishing at the provider");
    expect(finishing).toContain("The exact cost appears here when it is known, and in Usage.");
    expect(draw(runOf({ state: "stopped", whenLeft: "drained" }))).toContain("Cost–");
    expect(draw(runOf({ state: "stopped", whenLeft: "cut", isFinishing: true }))).toContain("Cost so far≈$0.000252");
  });

  const waitFor = async (costs: readonly (RunCost | "lost" | null)[]) => {
    const pauses: number[] = [];
    let [looks, long] = [0, 0];
    const found = await awaitCost({
      find: async () => {
        const cost = costs[Math.min(looks++, costs.length - 1)];
        if (cost === "lost") throw new Error("the network is away");
        return cost ?? null;
      },
      pausesMs: [300, 1_000],
      isGone: () => false,
      onLong: () => void long++,
      pause: async (ms) => void pauses.push(ms),
    });
    return { found, pauses, long };
  };
  const charged: RunCost = { state: "charged", receipt };
  const held = (endsInMs: number): RunCost => ({ state: "in_progress", endsInMs });

  test("is asked for again when a look fails, also one of the first", async () => {
    expect((await waitFor(["lost", held(90_000), "lost", "lost", charged])).found).toBe(receipt);
    expect((await waitFor([held(10_000), "lost"])).found).toBeNull();
  });

  test("is asked for ever more rarely, until its hold must have ended", async () => {
    expect(await waitFor([charged])).toEqual({ found: receipt, pauses: [300], long: 0 });
    expect(await waitFor([held(90_000), held(89_000), held(80_000), charged])).toEqual({
      ...{ found: receipt, long: 1 },
      pauses: [300, 1_000, 6_000, 9_000],
    });
    const long = await waitFor([...Array.from({ length: 20 }, () => held(60_000)), held(-60_000)]);
    expect(long).toMatchObject({ found: null, long: 1 });
    expect(long.pauses).toHaveLength(21);
    expect(Math.max(...long.pauses)).toBe(30_000);
    expect(await waitFor([null])).toEqual({ found: null, pauses: [300, 1_000], long: 0 });
  });
});

test("a run's parts are exact, and it says so when they are more than its estimate", () => {
  const receipt: RunReceipt = { inputTokens: 4, outputTokens: 87, inputCost: 126_000n, outputCost: 5_481_000n, lines: [], borne: 0n };
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
    findContextProblem(
      { ...fields, prompt },
      small,
      { ceiling: 1n, available: 1n, affordableMaxTokens: 1, whenLeft: "cut", inputTokens },
      models,
    );

  test("one that fits is no problem, even where the bound counts bytes", () => {
    expect(find("x".repeat(4_000), 1_100)).toBeNull();
    expect(find("x".repeat(15_000), 8_000)).toBeNull();
  });

  test("one that is longer names the cheapest model that reads it", () => {
    expect(find("x".repeat(40_000), 8_000)).toMatchObject({
      tokens: 10_003,
      isCertain: true,
      isRefused: true,
      alternative: { id: "cheap" },
    });
    expect(find("x".repeat(38_000), 8_000)).toMatchObject({ isCertain: true, isRefused: false });
    expect(find("x".repeat(20_000), 8_000)).toMatchObject({ isCertain: false, alternative: { id: "tight" } });
    expect(find("x".repeat(4_000_000), 8_000)).toMatchObject({ isCertain: true, isRefused: true, alternative: null });
  });
});
