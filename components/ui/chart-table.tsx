import type { SpendChart } from "@/lib/console/views/spend-chart";
import { Amount, placesOf } from "./amount";
import { longDay } from "./chart-text";

/** The chart's amounts as a table, opened by those who want to read or hear them. Days without spend are left out. */
export function ChartTable({ chart }: { chart: SpendChart }) {
  const isSplit = chart.series.length > 1;
  const rows = chart.days
    .map(({ day, costs }) => ({ day, costs, total: costs.reduce((sum, cost) => sum + cost, 0n) }))
    .filter(({ total }) => total > 0n)
    .reverse();
  const places = placesOf(rows.flatMap(({ costs, total }) => [...costs, total]));
  if (rows.length === 0) return null;
  return (
    <details className="mt-4 text-sm">
      <summary className="w-fit cursor-pointer text-xs text-muted transition hover:text-ink">Amounts by day</summary>
      <table className="mt-3 w-full">
        <thead>
          <tr className="border-b border-edge text-xs text-muted">
            <th scope="col" className="py-2 pr-4 text-left font-medium">
              Day (UTC)
            </th>
            {isSplit
              ? chart.series.map(({ id, name }) => (
                  <th key={id} scope="col" className="max-w-32 truncate py-2 pr-4 text-right font-medium max-lg:hidden" title={name}>
                    {name}
                  </th>
                ))
              : null}
            <th scope="col" className="py-2 text-right font-medium">
              {isSplit ? "Together" : "Spend"}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ day, costs, total }) => (
            <tr key={day} className="border-b border-line">
              <th scope="row" className="py-1.5 pr-4 text-left font-normal whitespace-nowrap">
                {longDay(day)}
              </th>
              {isSplit
                ? chart.series.map(({ id }, index) => (
                    <td key={id} className="py-1.5 pr-4 text-right font-mono max-lg:hidden">
                      <Amount nano={costs[index] ?? 0n} places={places} />
                    </td>
                  ))
                : null}
              <td className="py-1.5 text-right font-mono">
                <Amount nano={total} places={places} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
