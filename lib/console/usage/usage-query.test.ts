import { afterEach, beforeEach, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { readUsageQuery } from "./usage-query";

let restore: () => void;
beforeEach(() => {
  restore = setClock(() => Date.UTC(2026, 10, 21, 23, 59, 59, 999));
});
afterEach(() => restore());

const defaults = {
  fromDay: "2026-10-23",
  toDay: "2026-11-21",
  preset: 30,
  model: null,
  key: null,
  split: "day",
  status: "charged",
  before: null,
  cursor: null,
  mark: null,
  problem: null,
};

test("a URL without a filter means the last 30 days, including today", () => {
  expect(readUsageQuery({})).toEqual(defaults);
  expect(readUsageQuery({ from: "", to: "", model: "", key: "", utm_source: "x" })).toEqual(defaults);
});

test("a preset, custom days, a model, a key, a split and a cursor are read", () => {
  const requestId = `req_${"0Az".repeat(6)}00`;
  expect(readUsageQuery({ days: "7" })).toMatchObject({ fromDay: "2026-11-15", toDay: "2026-11-21", preset: 7 });
  expect(readUsageQuery({ from: "2026-08-24", to: "2026-11-21" })).toMatchObject({ preset: 90 });
  expect(readUsageQuery({ from: "2026-11-20", to: "2026-11-20" })).toMatchObject({
    fromDay: "2026-11-20",
    toDay: "2026-11-20",
    preset: null,
  });
  expect(readUsageQuery({ to: "2026-01-31" })).toMatchObject({ fromDay: "2026-01-02", toDay: "2026-01-31", preset: null });
  expect(readUsageQuery({ model: "gpt-4", key: `key_${"a".repeat(20)}`, by: "key", newer: `${requestId}.12`, mark: "7" })).toEqual({
    ...defaults,
    model: "gpt-4",
    key: `key_${"a".repeat(20)}`,
    split: "key",
    cursor: { direction: "newer", requestId, mark: 12n },
    mark: 7n,
  });
  expect(readUsageQuery({ key: "playground", older: `${requestId}.0` })).toMatchObject({
    key: "playground",
    cursor: { direction: "older", mark: 0n },
  });
});

test("unreadable parameters are ignored and named; the rest applies", () => {
  const query = readUsageQuery({ from: "31.1.2026", model: "gpt-4", key: "' OR true --", by: "hour", older: "req_1", mark: "-1" });
  expect(query).toEqual({ ...defaults, model: "gpt-4", problem: expect.stringMatching(/in the URL: from, key, by, older, mark\./) });
  for (const from of ["2026-02-30", "0000-01-01", "+275760-09-13", "2026-1-1", "1969-12-31"]) {
    expect(readUsageQuery({ from })).toMatchObject({ fromDay: "2026-10-23", problem: expect.stringContaining("from") });
  }
  expect(readUsageQuery({ model: ["gpt-4", "gpt-5"] })).toMatchObject({ model: "gpt-4", problem: null });
  expect(readUsageQuery({ model: "a b" })).toMatchObject({ model: null, problem: expect.stringContaining("model") });
});

test("a reversed or too long range becomes the last 30 days, with a message", () => {
  for (const days of [
    { from: "2026-11-21", to: "2026-11-20" },
    { from: "2025-01-01", to: "2026-11-21" },
  ]) {
    expect(readUsageQuery(days)).toMatchObject({
      fromDay: "2026-10-23",
      toDay: "2026-11-21",
      preset: 30,
      problem: expect.stringContaining("30 days"),
    });
  }
  expect(readUsageQuery({ from: "2025-11-21", to: "2026-11-21" }).problem).toBeNull();
});
