import { expect, test } from "vitest";
import { now, nowMs, setClock } from "./clock";

test("a test can set the clock and restore the system's", () => {
  const before = Date.now();
  expect(nowMs()).toBeGreaterThanOrEqual(before);
  const restoreFirst = setClock(() => 1_000);
  const restoreSecond = setClock(() => 2_000);
  expect(nowMs()).toBe(2_000);
  expect(now()).toEqual(new Date(2_000));
  restoreSecond();
  expect(nowMs()).toBe(1_000);
  restoreFirst();
  expect(nowMs()).toBeGreaterThanOrEqual(before);
});
