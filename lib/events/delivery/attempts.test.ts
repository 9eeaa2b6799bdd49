// Ten attempts over three days, each a little earlier or later, and rests of an endpoint that grow to an hour.

import { expect, test } from "vitest";
import { MAX_ATTEMPTS, pauseAfter, readRetryAfter, restAfter } from "./attempts";

const HOUR = 3_600_000;

test("a delivery has ten attempts, the last about three days after the first", () => {
  for (const id of ["dlv_a", "dlv_b", "dlv_c"]) {
    const pauses = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, index) => pauseAfter(id, index + 1) ?? 0);
    expect(pauses.every((pause, index) => pause > (pauses[index - 1] ?? 0) * 0.8)).toBe(true);
    const days = pauses.reduce((sum, pause) => sum + pause, 0) / (24 * HOUR);
    expect(days).toBeGreaterThan(2.6);
    expect(days).toBeLessThan(3.3);
  }
  expect(MAX_ATTEMPTS).toBe(10);
  expect(pauseAfter("dlv_a", MAX_ATTEMPTS)).toBeNull();
});

test("deliveries that fail together are not tried again together", () => {
  const pauses = new Set(Array.from({ length: 100 }, (_, index) => pauseAfter(`dlv_${index}`, 4)));
  expect(pauses.size).toBeGreaterThan(95);
  expect(Math.min(...([...pauses] as number[]))).toBeGreaterThanOrEqual(1.8 * HOUR);
  expect(Math.max(...([...pauses] as number[]))).toBeLessThanOrEqual(2.2 * HOUR);
});

test("an endpoint rests from its third failure in a row on, at most for an hour", () => {
  expect([1, 2, 3, 4, 5, 9, 10, 1_000].map(restAfter)).toEqual([0, 0, 30_000, 60_000, 120_000, 1_920_000, HOUR, HOUR]);
});

test("Retry-After is heard in seconds and as a date, for a day at most; nonsense is not", () => {
  const at = Date.parse("2026-11-26T08:00:00Z");
  const heard = ["120", "Thu, 26 Nov 2026 08:01:00 GMT", "999999999", "Thu, 26 Nov 2026 07:00:00 GMT", "soon", "-5", "1.5"].map((text) =>
    readRetryAfter(text, at),
  );
  expect(heard.slice(0, 5)).toEqual([120_000, 60_000, 24 * HOUR, 0, 0]);
  expect(readRetryAfter(undefined, at)).toBe(0);
});
