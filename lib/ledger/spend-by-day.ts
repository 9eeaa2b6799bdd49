// Spend by day: what an account's charges cost on each day (UTC), whole or split by model or key. Its size is bounded by the
// days and the parts asked for, however many models and keys there are; it adds up to the ledger's totals of the same span.

import type { NanoUsd } from "@/lib/base/money";
import { inTransaction } from "@/lib/db/pool";
import { snapshotSettings, spanValues, type UsageSpan, whereInSpan } from "./usage";

/** What the days are split by; "day" does not split them. */
export const splits = ["day", "model", "key"] as const;
export type Split = (typeof splits)[number];

export interface DaySpend {
  /** `2026-01-31` */
  day: string;
  /** The model or the key id, "" for charges without a key or days that are not split; null for all that are not among the largest. */
  part: string | null;
  /** Nano-USD, as the customer paid it. */
  cost: NanoUsd;
  requests: number;
}

/** Days with charges, the first one first. The `most` parts that cost most in the whole span stand alone. */
export async function readSpendByDay(span: UsageSpan & { mark: bigint }, split: Split, most: number): Promise<DaySpend[]> {
  return inTransaction(async (transaction) => {
    await transaction.query(snapshotSettings);
    const { rows } = await transaction.query<DaySpend>(
      `WITH spent AS MATERIALIZED (
         SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') COLLATE "C" AS day,
           CASE $9 WHEN 'model' THEN model WHEN 'key' THEN coalesce(key_id, '') ELSE '' END COLLATE "C" AS part,
           sum(input_cost + output_cost) AS cost, count(*) AS requests
         FROM charge ${whereInSpan} GROUP BY 1, 2
       ), largest AS (
         SELECT part FROM spent GROUP BY part ORDER BY sum(cost) DESC, part LIMIT $10
       )
       SELECT s.day, l.part, sum(s.cost)::bigint AS cost, sum(s.requests)::float8 AS requests
       FROM spent s LEFT JOIN largest l ON l.part = s.part GROUP BY s.day, l.part ORDER BY s.day, l.part`,
      [...spanValues(span, span.mark), split, most],
    );
    return rows;
  });
}
