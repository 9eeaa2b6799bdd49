import { formatUsd } from "@/lib/base/money";
import type { UsageView } from "@/lib/console/views/usage";
import { countText } from "../../ui/number-text";

interface UsageTotalsProps {
  totals: UsageView["totals"];
}

/** What the whole filter comes to, whichever page of it is shown. */
export const UsageTotals = ({ totals }: UsageTotalsProps) => (
  <dl aria-label="Totals of all pages" className="grid grid-cols-2 gap-x-8 gap-y-5 sm:grid-cols-[1.6fr_1fr_1fr_1fr]">
    <Total title="Cost" value={formatUsd(totals.cost)} className="max-sm:col-span-2" size="text-xl tracking-tight" />
    <Total title="Requests" value={countText(totals.requests)} className="max-sm:col-span-2" />
    <Total title="Input tokens" value={countText(totals.inputTokens)} />
    <Total title="Output tokens" value={countText(totals.outputTokens)} />
  </dl>
);

interface TotalProps {
  title: string;
  value: string;
  className?: string;
  size?: string;
}

const Total = ({ title, value, className = "", size = "text-lg" }: TotalProps) => (
  <div className={`grid min-w-0 content-between gap-1 ${className}`}>
    <dt className="text-sm text-muted">{title}</dt>
    <dd className={`font-medium tabular-nums ${size}`}>{value}</dd>
  </div>
);
