import { expect, test } from "vitest";
import { axisAmount, longDay, roundTicks, shortDay } from "./chart-text";

test.each([
  [0, "$0"],
  [1, "$0.000000001"],
  [1_440_000, "$0.00144"],
  [1_234_567, "$0.00123"],
  [50_000_000, "$0.05"],
  [999_999_999, "$0.999"],
  [1_500_000_000, "$1.5"],
  [100e9, "$100"],
  [1_200e9, "$1200"],
  [12_500e9, "$12.5k"],
  [2_000_000e9, "$2M"],
])("%d nano-USD is %s on an axis", (nano, text) => expect(axisAmount(nano)).toBe(text));

test("a day is written as people say it", () => {
  expect([shortDay("2026-11-01"), longDay("2026-02-28")]).toEqual(["1 Nov", "28 Feb 2026"]);
});

test.each([
  [1_234_567, "$0 $0.0005 $0.001 $0.0015"],
  [4_000_000, "$0 $0.001 $0.002 $0.003 $0.004"],
  [30, "$0 $0.00000001 $0.00000002 $0.00000003"],
  [7_700e9, "$0 $2000 $4000 $6000 $8000"],
])("the ticks of an axis up to %d nano-USD are round: %s", (most, texts) => {
  const ticks = roundTicks(most);
  expect(ticks.map(axisAmount).join(" ")).toBe(texts);
  expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
});
