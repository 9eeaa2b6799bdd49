// Spend by day: what an account's charges cost on each day (UTC). It adds up to the ledger's totals of the same span.

import type { NanoUsd } from "@/lib/base/money";
import { inSnapshot, inSpanSql, type UsageSpan } from "./usage";

export interface DaySpend {
  /** `2026-01-31` */
  day: string;
  /** The model or the key id; "" for charges without a key or days that are not split; null for everything outside the largest parts. */
  part: string | null;
  /** Nano-USD, as the customer paid it. */
  cost: NanoUsd;
  requests: number;
}

/** Days with charges, complete, the first one first. */
export const readSpendByDay = (span: UsageSpan & { mark: bigint }): Promise<DaySpend[]> =>
  // Raw: Prisma groups by columns, and a day is not a column.
  inSnapshot(
    (snapshot) => snapshot.$queryRaw<DaySpend[]>`
      SELECT to_char(day, 'YYYY-MM-DD') AS day, '' AS part, cost::bigint AS cost, requests::float8 AS requests
      FROM (
        SELECT (at AT TIME ZONE 'UTC')::date AS day, sum(input_cost + output_cost) AS cost, count(*) AS requests
        FROM charge WHERE ${inSpanSql(span, span.mark)} GROUP BY 1
      ) d ORDER BY d.day`,
  );
