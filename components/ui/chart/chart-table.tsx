import type { SpendChart } from "@/lib/console/views/spend-chart";
import { type Column, DataTable } from "../data-table";
import { FoldSummary } from "../fold-summary";
import { Amount, placesOf } from "../text/amount";
import { longDay, sumOf } from "./chart-text";

interface DayAmounts {
  day: string;
  costs: readonly bigint[];
  total: bigint;
}

/** The chart's amounts as a table, collapsed until opened. Days without spend are omitted. */
export function ChartTable({ chart }: { chart: SpendChart }) {
  const rows = chart.days
    .map(({ day, costs }) => ({ day, costs, total: sumOf(costs) }))
    .filter(({ total }) => total > 0n)
    .reverse();
  if (rows.length === 0) return null;
  const places = placesOf(rows.flatMap(({ costs, total }) => [...costs, total]));
  return (
    <details className="mt-4 text-sm">
      <FoldSummary className="w-fit text-xs text-muted">Amounts by day</FoldSummary>
      <DataTable className="mt-3" cellClassName="py-1.5" columns={columnsOf(chart, places)} rows={rows} idOf={({ day }) => day} />
    </details>
  );
}

function columnsOf({ series }: SpendChart, places: number): Column<DayAmounts>[] {
  const isSplit = series.length > 1;
  const parts = series.map(
    ({ id, name }, index): Column<DayAmounts> => ({
      id,
      heading: name,
      title: name,
      className: "pr-4 text-right max-lg:hidden",
      headingClassName: "max-w-32 truncate",
      cellClassName: "font-mono",
      cell: ({ costs }) => <Amount nano={costs[index] ?? 0n} places={places} />,
    }),
  );
  return [
    {
      id: "day",
      heading: "Day (UTC)",
      className: "pr-4 text-left",
      cellClassName: "font-normal whitespace-nowrap",
      cell: ({ day }) => longDay(day),
    },
    ...(isSplit ? parts : []),
    {
      id: "total",
      heading: isSplit ? "Total" : "Spend",
      className: "text-right",
      cellClassName: "font-mono",
      cell: ({ total }) => <Amount nano={total} places={places} />,
    },
  ];
}
