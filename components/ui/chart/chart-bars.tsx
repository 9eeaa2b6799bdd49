"use client";

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { formatUsd } from "@/lib/base/money";
import type { SpendChart, SpendSeries } from "@/lib/console/views/spend-chart";
import { axisAmount, longDay, roundTicks, shortDay, sumOf } from "./chart-text";

const tick = { fill: "var(--faint)", fontSize: 12 };

interface ChartBarsProps {
  chart: SpendChart;
  /** One per series, by index. */
  colours: readonly string[];
}

/** The interactive part of a spend chart: its library is loaded only where it is shown. */
export function ChartBars({ chart, colours }: ChartBarsProps) {
  // Floats draw the heights, which may be rounded; every amount shown as text is exact.
  const points = chart.days.map(({ day, costs }) => ({ day, heights: costs.map(Number) }));
  const highest = Math.max(0, ...points.map(({ heights }) => heights.reduce((sum, height) => sum + height, 0)));
  const isEmpty = highest === 0;
  const ticks = isEmpty ? [0, 1] : roundTicks(highest);
  return (
    <ResponsiveContainer width="100%" height="100%">
      {/* recharts stacks bars in the order in which it first saw them, so other series need a new chart. */}
      <BarChart
        key={chart.series.map(({ id }) => id).join()}
        data={points}
        margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
        accessibilityLayer={false}
        barCategoryGap="16%"
      >
        {isEmpty ? null : <CartesianGrid vertical={false} stroke="var(--line)" />}
        <XAxis
          dataKey="day"
          tickFormatter={shortDay}
          tick={tick}
          tickLine={false}
          axisLine={{ stroke: "var(--edge)" }}
          ticks={dayTicks(chart)}
          interval="preserveEnd"
          minTickGap={4}
          height={24}
        />
        <YAxis
          width="auto"
          tickFormatter={axisAmount}
          tick={isEmpty ? false : tick}
          tickLine={false}
          axisLine={false}
          ticks={ticks}
          domain={[0, ticks.at(-1) ?? 1]}
          interval={0}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: "var(--ink)", fillOpacity: 0.05 }}
          content={({ active, label }) => <DayAmounts chart={chart} colours={colours} day={active ? label : undefined} />}
        />
        {chart.series.map(({ id, name }, index) => (
          <Bar
            key={id}
            stackId="spend"
            name={name}
            dataKey={({ heights }: (typeof points)[number]) => heights[index]}
            fill={colours[index]}
            maxBarSize={40}
            minPointSize={(height) => (height ? 1 : 0)}
            isAnimationActive={false}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}

/** The days named on the axis: all of a week, otherwise whole weeks back from the last day, few enough for a phone. */
function dayTicks({ days }: SpendChart): string[] {
  const step = days.length <= 7 ? 1 : days.length <= 14 ? 2 : 7 * Math.ceil(days.length / 35);
  return days.map(({ day }) => day).filter((_, index) => (days.length - 1 - index) % step === 0);
}

interface DayAmountsProps extends ChartBarsProps {
  day: string | number | undefined;
}

/** The hovered day: its parts and their sum, exact. */
function DayAmounts({ chart, colours, day }: DayAmountsProps) {
  const found = chart.days.find((one) => one.day === day);
  if (!found) return null;
  const parts = chart.series.map((series, index) => ({ series, colour: colours[index], cost: found.costs[index] ?? 0n }));
  const spent = parts.filter(({ cost }) => cost > 0n);
  return (
    <div className="min-w-44 rounded border border-edge bg-paper p-3 text-xs text-ink shadow-lg">
      <p className="flex items-baseline justify-between gap-6">
        <span className="text-muted">{longDay(found.day)}</span>
        <span className="font-mono font-medium">{formatUsd(sumOf(found.costs))}</span>
      </p>
      {chart.series.length > 1 ? (
        <ul className="mt-2 grid gap-1.5">
          {spent.map(({ series, colour, cost }) => (
            <PartAmount key={series.id} series={series} colour={colour} cost={cost} />
          ))}
        </ul>
      ) : null}
    </div>
  );
}

const PartAmount = ({ series, colour, cost }: { series: SpendSeries; colour: string | undefined; cost: bigint }) => (
  <li className="flex items-center justify-between gap-6">
    <span className="flex min-w-0 items-center gap-2">
      <span className="size-2 shrink-0 rounded-sm" style={{ background: colour }} />
      <span className="max-w-40 truncate">{series.name}</span>
    </span>
    <span className="font-mono">{formatUsd(cost)}</span>
  </li>
);
