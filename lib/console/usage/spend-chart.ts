// The data of a spend chart: every day of the span, including days without charges, and the parts of each.

import { type AccountId, madeAtMs } from "@/lib/base/ids";
import type { DaySpend } from "@/lib/ledger/spend-by-day";
import type { SpendChart } from "../views/spend-chart";
import { addDays } from "./usage-query";

const REST = "rest";

const WEEK_DAYS = 7;

interface ChartSpan {
  accountId: AccountId;
  spend: readonly DaySpend[];
  fromDay: string;
  toDay: string;
}

/** A chart's first day: a new account's has no days before it was opened, so that its bars are seen; but a week at least. */
export function chartStart({ accountId, spend, fromDay, toDay }: ChartSpan): string {
  const opened = new Date(madeAtMs(accountId)).toISOString().slice(0, 10);
  const [first = toDay] = [opened, addDays(toDay, 1 - WEEK_DAYS), ...spend.map(({ day }) => day)].toSorted();
  return first > fromDay ? first : fromDay;
}

/** `nameOf` returns the label of a part. Both days are in the span. */
export function spendChart(spend: readonly DaySpend[], fromDay: string, toDay: string, nameOf: (part: string) => string): SpendChart {
  const totals = new Map<string | null, bigint>();
  const byDay = new Map<string, Map<string | null, bigint>>();
  for (const { day, part, cost } of spend) {
    totals.set(part, (totals.get(part) ?? 0n) + cost);
    byDay.set(day, (byDay.get(day) ?? new Map()).set(part, cost));
  }
  const parts = [...totals.keys()].sort((left, right) => compareParts([left, totals.get(left)], [right, totals.get(right)]));
  const series = parts.map((part) => ({
    id: part === null ? REST : `part ${part}`,
    name: part === null ? "Others" : nameOf(part),
    total: totals.get(part) ?? 0n,
  }));
  const days: SpendChart["days"] = [];
  for (let day = fromDay; day <= toDay; day = addDays(day, 1)) {
    const costs = byDay.get(day);
    days.push({ day, costs: parts.map((part) => costs?.get(part) ?? 0n) });
  }
  return { series, days };
}

type Part = [name: string | null, total: bigint | undefined];

function compareParts([left, leftTotal = 0n]: Part, [right, rightTotal = 0n]: Part): number {
  if (left === null || right === null) return left === null ? 1 : -1;
  return leftTotal === rightTotal ? (left < right ? -1 : 1) : leftTotal > rightTotal ? -1 : 1;
}
