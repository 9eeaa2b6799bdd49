import fc from "fast-check";
import { expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { cases, caseTimeoutMs } from "@/lib/ledger/testing/cases";
import { periodStartMs } from "@/lib/ledger/testing/periods";
import { capPeriodEnd, capPeriodStart } from "./cap-period";

await openTestDatabase({ poolSize: 2 });

const periods = ["hour", "day", "week", "month", "total"] as const;
const moment = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) });

async function fromSql(period: string, atMs: number): Promise<{ start: Date; end: Date | null } | undefined> {
  const { rows } = await pool().query<{ start: Date; end: Date | null }>(
    'SELECT access_cap_period_start($1, $2) AS start, access_cap_period_end($1, $2) AS "end"',
    [period, new Date(atMs)],
  );
  return rows[0];
}

test("a period starts and ends by the UTC calendar, and the code and the database agree", {
  timeout: caseTimeoutMs,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...periods), moment, async (period, atMs) => {
      const start = capPeriodStart(period, new Date(atMs));
      expect(start.getTime()).toBe(periodStartMs(period, atMs));
      const end = capPeriodEnd(period, start);
      expect(await fromSql(period, atMs)).toEqual({ start, end });
      expect(start.getTime()).toBeLessThanOrEqual(atMs);
      if (end) {
        expect(end.getTime()).toBeGreaterThan(atMs);
        expect(periodStartMs(period, end.getTime())).toBe(end.getTime());
        expect(periodStartMs(period, end.getTime() - 1)).toBe(start.getTime());
      }
    }),
    cases(300),
  );
});

test("the time zone of the database's session changes nothing", async () => {
  const client = await pool().connect();
  try {
    await client.query("SET TimeZone = 'Pacific/Auckland'");
    const at = new Date(Date.UTC(2026, 2, 31, 23, 59));
    const { rows } = await client.query<{ start: Date }>("SELECT access_cap_period_start('day', $1) AS start", [at]);
    expect(rows[0]?.start).toEqual(new Date(Date.UTC(2026, 2, 31)));
  } finally {
    client.release(true);
  }
});

test("a cap without a period, or with the period total, never resets", () => {
  expect(capPeriodEnd(null, null)).toBeNull();
  expect(capPeriodEnd("day", null)).toBeNull();
  expect(capPeriodEnd("total", new Date(0))).toBeNull();
});
