import { afterEach, expect, test, vi } from "vitest";
import { nowMs, systemClockOffsetMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { betterLook, followDatabaseClock } from "./database-clock";
import { pool } from "./pool";
import { openTestDatabase } from "./testing/test-database";

await openTestDatabase();
afterEach(() => vi.restoreAllMocks());

const databaseMs = async () =>
  (await pool().query<{ ms: number }>("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms")).rows[0]?.ms ?? 0;

test.each([86_400_000, -86_400_000, 600_000])(
  "a machine whose clock jumps by %i ms goes on telling the database's time",
  async (skewMs) => {
    const warn = vi.spyOn(log(), "warn").mockImplementation(() => undefined);
    const clock = await followDatabaseClock();
    const real = Date.now.bind(Date);
    try {
      vi.spyOn(Date, "now").mockImplementation(() => real() + skewMs);
      const [before, told, after] = [await databaseMs(), nowMs(), await databaseMs()];
      expect(told).toBeGreaterThanOrEqual(Math.floor(before) - 1_000);
      expect(told).toBeLessThanOrEqual(Math.ceil(after) + 1_000);
    } finally {
      clock.stop();
    }
    expect(warn).not.toHaveBeenCalled();
  },
);

test("how far the machine's clock is off is a figure, and more than two seconds are a warning", async () => {
  const warn = vi.spyOn(log(), "warn").mockImplementation(() => undefined);
  const query = vi.spyOn(pool(), "query").mockImplementation((async () => ({ rows: [{ ms: Date.now() - 5_000 }] })) as never);
  const clock = await followDatabaseClock();
  query.mockRestore();
  try {
    expect(systemClockOffsetMs()).toBeGreaterThan(4_000);
    expect((await metrics().clockOffsetMs.get()).values[0]?.value).toBeGreaterThan(4_000);
    expect(warn.mock.calls).toMatchObject([[{ offsetMs: expect.any(Number) }, expect.stringContaining("differs from the database's")]]);
  } finally {
    clock.stop();
  }
  expect(Math.abs(systemClockOffsetMs())).toBeLessThan(1_000);
});

test("the more exact look counts, unless the database's clock was set", () => {
  const exact = { deltaMs: 1_000, errorMs: 1, at: 0 };
  const vague = { deltaMs: 1_200, errorMs: 300, at: 5_000 };
  expect(betterLook(undefined, vague)).toBe(vague);
  expect(betterLook(exact, vague)).toBe(exact);
  expect(betterLook(vague, { ...exact, at: 6_000 })).toMatchObject({ errorMs: 1 });
  // Two clocks drift apart: after hours the exact look is worth less than a vague one.
  expect(betterLook(exact, { ...vague, at: 3_600_000 * 2 })).toMatchObject({ errorMs: 300 });
  const set = { deltaMs: 3_601_000, errorMs: 40, at: 5_000 };
  expect(betterLook(exact, set)).toBe(set);
});
