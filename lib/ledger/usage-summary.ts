// Everything that a usage page sums up, from one read of the span's charges: the totals, the cost of each day, and the models and keys
// involved. Its size is bounded by the number of days and requested parts, and by models times keys.

import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { Prisma } from "@/lib/db/prisma";
import type { DaySpend } from "./spend-by-day";
import { eachKind, inSnapshot, inSpanSql, LAST_SEQUENCE, type UsageSpan, type UsageSums } from "./usage";

/** What the days are split by; "day" does not split them. */
export const splits = ["day", "model", "key"] as const;
export type Split = (typeof splits)[number];

export interface UsageSummary {
  totals: UsageSums;
  /** The charge up to which all of this is summed. */
  mark: bigint;
  /** Days with charges, the first one first. The parts that cost most over the whole span are listed separately. */
  spend: DaySpend[];
  /** All models and keys of the span's days, whatever model and key the span names, each pair once; "" for charges without a key. */
  charged: { model: string; keyId: string }[];
}

interface SummaryRow extends UsageSums {
  newest: bigint;
  spend: [day: string, part: string | null, cost: string, requests: number][];
  charged: [model: string, keyId: string][];
}

/** Sums up the span; its days are split into the `maxParts` largest parts and the rest. */
export async function readUsageSummary(span: UsageSpan, split: Split, maxParts: number): Promise<UsageSummary> {
  const [row] = await inSnapshot((snapshot) => snapshot.$queryRaw<SummaryRow[]>(summaryQuery(span, split, maxParts)));
  if (!row) throw new Error("assertion failed: sums without groups are one row");
  const { newest, spend, charged, ...totals } = row;
  return {
    totals,
    mark: span.mark ?? newest,
    spend: spend.map(([day, part, cost, requests]) => ({ day, part, cost: costOf(cost), requests })),
    charged: charged.map(([name, key]) => ({ model: name, keyId: key })),
  };
}

/** JSON carries it as text, which is exact. */
const costOf = (text: string): NanoUsd => nanoUsd(BigInt(text));

/** Raw: everything comes from one reading of the charges, which may be a million. */
function summaryQuery({ model, keyId, ...whole }: UsageSpan, split: Split, maxParts: number): Prisma.Sql {
  const ofModel = model === undefined ? Prisma.empty : Prisma.sql`AND model = ${model}`;
  const ofKey = keyId === undefined ? Prisma.empty : Prisma.sql`AND key_id = ${keyId}`;
  return Prisma.sql`WITH groups AS MATERIALIZED (
    SELECT (at AT TIME ZONE 'UTC')::date AS day, model, coalesce(key_id, '') AS key_id, count(*) AS requests,
      ${eachKind((slot, count) => `sum(tokens[${slot}]) AS "${count}"`)},
      sum(input_cost) AS input_cost, sum(output_cost) AS output_cost, max(seq) AS newest
    FROM charge WHERE ${inSpanSql(whole, whole.mark ?? LAST_SEQUENCE)} GROUP BY 1, 2, 3
  ), shown AS MATERIALIZED (
    SELECT *, CASE ${split}::text WHEN 'model' THEN model WHEN 'key' THEN key_id ELSE '' END COLLATE "C" AS part
    FROM groups WHERE true ${ofModel} ${ofKey}
  ), largest AS (
    SELECT part FROM shown GROUP BY part ORDER BY sum(input_cost + output_cost) DESC, part LIMIT ${maxParts}
  ), days AS (
    SELECT s.day, l.part, sum(s.input_cost + s.output_cost) AS cost, sum(s.requests) AS requests
    FROM shown s LEFT JOIN largest l ON l.part = s.part GROUP BY s.day, l.part
  )
  SELECT coalesce(sum(requests), 0)::float8 AS requests,
    ${eachKind((_, count) => `coalesce(sum("${count}"), 0)::float8 AS "${count}"`)},
    coalesce(sum(input_cost), 0)::bigint AS "inputCost", coalesce(sum(output_cost), 0)::bigint AS "outputCost",
    (SELECT coalesce(max(newest), 0)::bigint FROM groups) AS newest,
    (SELECT coalesce(json_agg(json_build_array(to_char(day, 'YYYY-MM-DD'), part, cost::text, requests) ORDER BY day, part), '[]')
      FROM days) AS spend,
    (SELECT coalesce(json_agg(json_build_array(model, key_id) ORDER BY model, key_id), '[]')
      FROM (SELECT DISTINCT model COLLATE "C" AS model, key_id FROM groups) pairs) AS charged
  FROM shown`;
}
