import type { ReactNode } from "react";
import { formatUsd } from "@/lib/base/money";
import type { Overview } from "@/lib/console/views/overview";

interface BalanceFiguresProps extends Pick<Overview, "available" | "held" | "today" | "month"> {
  /** What the money is called: "USDC", or "simulated USD". */
  unit: string;
}

/** What is there, and what went: four exact amounts. */
export const BalanceFigures = ({ available, held, today, month, unit }: BalanceFiguresProps) => (
  <dl className="grid gap-x-8 gap-y-6 max-sm:grid-cols-2 sm:grid-cols-[1.6fr_1fr_1fr_1fr]">
    <Figure title="Available" note={unit} amount={available} className="max-sm:col-span-2" size="text-xl tracking-tight" />
    <Figure title="Held" note="for requests under way" amount={held} className="max-sm:col-span-2" />
    <Figure title="Today" note="since 00:00 UTC" amount={today} />
    <Figure title="This month" note="since the 1st, UTC" amount={month} />
  </dl>
);

interface FigureProps {
  title: string;
  note: ReactNode;
  amount: bigint;
  size?: string;
  className?: string;
}

const Figure = ({ title, note, amount, size = "text-lg", className = "" }: FigureProps) => (
  <div className={`grid min-w-0 content-between gap-1 ${className}`}>
    <dt className="text-sm text-muted">{title}</dt>
    <dd className="grid gap-0.5">
      <span className={`font-medium tabular-nums ${size}`}>{formatUsd(amount)}</span>
      <span className="text-xs text-faint">{note}</span>
    </dd>
  </div>
);
