import { formatUsd } from "@/lib/base/money";
import { Amount } from "../../ui/amount";
import { momentText } from "../../ui/time-text";
import type { CapPeriod, KeyView } from "./key-view";

const periods: Record<CapPeriod, string> = { day: "today", week: "this week", month: "this month", total: "in all" };

interface KeySpentProps {
  item: KeyView;
  /** Decimal places of the column. */
  places: number;
}

/** What a key has spent against its cap, or in all. */
export function KeySpent({ item: { cap, spent }, places }: KeySpentProps) {
  if (!cap) {
    return (
      <span className="grid justify-items-end">
        <Amount nano={spent} places={places} />
        <span className="font-sans text-xs text-muted">in all, no cap</span>
      </span>
    );
  }
  return (
    <span className="grid justify-items-end" title={cap.resetsAt ? `Starts anew on ${momentText(cap.resetsAt)}` : undefined}>
      <Amount nano={spent} places={places} />
      <span className="font-sans text-xs whitespace-nowrap text-muted">
        of {formatUsd(cap.nanoUsd)} {periods[cap.period]}
      </span>
      <Share part={spent} whole={cap.nanoUsd} />
    </span>
  );
}

/** How much of the cap is used; the figures beside it say it too. */
function Share({ part, whole }: { part: bigint; whole: bigint }) {
  const permille = whole === 0n ? 1_000 : Math.min(1_000, Number((part * 1_000n) / whole));
  return (
    <span aria-hidden="true" className="mt-1.5 h-1 w-full md:w-32 overflow-hidden rounded-full bg-line">
      <span
        className={`block h-full rounded-full ${permille >= 1_000 ? "bg-red" : "bg-copper"}`}
        // A little that was spent is still something.
        style={{ width: part === 0n ? 0 : `max(3px, ${permille / 10}%)` }}
      />
    </span>
  );
}
