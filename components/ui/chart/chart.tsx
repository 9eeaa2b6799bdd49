"use client";

import dynamic from "next/dynamic";
import { formatUsd } from "@/lib/base/money";
import type { SpendChart as Chart } from "@/lib/console/views/spend-chart";
import { Skeleton } from "../skeleton";
import { Amount, placesOf } from "../text/amount";
import { longDay, sumOf } from "./chart-text";

/** Neighbouring parts of a stack contrast in both themes; the remainder is pale. */
const colours = [
  "var(--copper)",
  "var(--ink)",
  "color-mix(in oklab, var(--copper) 45%, var(--paper))",
  "var(--faint)",
  "color-mix(in oklab, var(--copper) 55%, var(--ink))",
];
const REST = "var(--edge)";

// recharts is as large as the rest of a page: it loads after the page, into reserved space.
const ChartBars = dynamic(() => import("./chart-bars").then((module) => module.ChartBars), {
  ssr: false,
  loading: () => <Skeleton className="size-full bg-panel" />,
});

interface SpendChartProps {
  chart: Chart;
  /** The name of the chart, for screen readers: "Spend by day". */
  label: string;
  /** The text over the empty frame when there is nothing to draw. */
  empty: string;
}

/** Spend by day as bars, stacked when it is split. The same is also shown as text. */
export function SpendChart({ chart, label, empty }: SpendChartProps) {
  const isEmpty = chart.series.every(({ total }) => total === 0n);
  return (
    <div role="img" aria-label={summary(chart, label)} className="relative h-56 text-xs md:h-64">
      <ChartBars chart={chart} colours={chart.series.map((_, index) => colourOf(chart, index))} />
      {isEmpty ? <p className="absolute inset-x-0 top-1/3 text-center text-sm text-muted">{empty}</p> : null}
    </div>
  );
}

/** The meaning of each colour, with exact totals: they add up to the chart's. */
export function ChartLegend({ chart }: { chart: Chart }) {
  const places = placesOf(chart.series.map(({ total }) => total));
  return (
    <ul className="grid gap-x-8 text-sm sm:grid-cols-2 lg:grid-cols-3">
      {chart.series.map((series, index) => (
        <li key={series.id} className="flex min-w-0 items-center gap-2 border-b border-line py-2">
          <span
            aria-hidden="true"
            className="size-2.5 shrink-0 rounded-sm border border-edge"
            style={{ background: colourOf(chart, index) }}
          />
          <span className="min-w-0 grow truncate" title={series.name}>
            {series.name}
          </span>
          <span className="font-mono">
            <Amount nano={series.total} places={places} />
          </span>
        </li>
      ))}
    </ul>
  );
}

const colourOf = ({ series }: Chart, index: number): string =>
  (series[index]?.id === "rest" ? REST : colours[index % colours.length]) ?? REST;

function summary({ series, days }: Chart, label: string): string {
  const [first, last] = [days[0], days.at(-1)];
  const total = sumOf(series.map((one) => one.total));
  if (!first || !last) return label;
  const span = `${label}, ${longDay(first.day)} to ${longDay(last.day)}: ${formatUsd(total)} in total`;
  if (total === 0n) return span;
  const most = days.reduce((best, one) => (sumOf(one.costs) > sumOf(best.costs) ? one : best), first);
  return `${span}, highest on ${longDay(most.day)}: ${formatUsd(sumOf(most.costs))}`;
}
