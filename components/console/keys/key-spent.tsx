import { Amount } from "@/components/ui/text/amount";
import { momentText } from "@/components/ui/text/time-text";
import { formatUsd } from "@/lib/base/money";
import type { OwnCap, OwnKey } from "@/lib/console/views/keys";

const periods: Record<OwnCap["period"], string> = {
  hour: "this hour",
  day: "today",
  week: "this week",
  month: "this month",
  total: "in total",
};

interface KeySpentProps {
  item: OwnKey;
  /** Decimal places of the column. */
  places: number;
}

/** A key's spend and holds against its cap, or its recent spend. */
export function KeySpent({ item, places }: KeySpentProps) {
  return (
    <span className="grid justify-items-end">
      <PeriodSpent item={item} places={places} />
      {item.spike ? (
        <span className="mt-1.5 font-sans text-xs text-amber-ink">
          {formatUsd(item.spike.spent)} in the last 60 minutes
          {item.spike.usual > 0n ? `, usually ${formatUsd(item.spike.usual)}` : null}
        </span>
      ) : null}
    </span>
  );
}

function PeriodSpent({ item: { cap, spent, held }, places }: KeySpentProps) {
  if (!cap) {
    return (
      <span className="grid justify-items-end">
        <Amount nano={spent} places={places} />
        <span className="font-sans text-xs whitespace-nowrap text-muted">last 30 days, no limit</span>
      </span>
    );
  }
  return (
    <span className="grid justify-items-end" title={cap.resetsAt ? `Resets on ${momentText(cap.resetsAt)}` : undefined}>
      <Amount nano={spent} places={places} />
      {held > 0n ? (
        <span
          className="font-sans text-xs whitespace-nowrap text-muted"
          title="Reserved for running requests. What they do not use becomes available again."
        >
          + {formatUsd(held)} reserved
        </span>
      ) : null}
      <span className="font-sans text-xs whitespace-nowrap text-muted">
        of {formatUsd(cap.nanoUsd)} {periods[cap.period]}
      </span>
      <Share spent={spent} held={held} whole={cap.nanoUsd} />
    </span>
  );
}

interface ShareProps {
  spent: bigint;
  held: bigint;
  whole: bigint;
}

/** The used share of the cap, with the held part paler; the figures beside it show the same. */
function Share({ spent, held, whole }: ShareProps) {
  const colour = permilleOf(spent + held, whole) >= 1_000 ? "bg-red" : "bg-copper";
  return (
    <span aria-hidden="true" className="mt-1.5 flex h-1 w-full overflow-hidden rounded-full bg-line md:w-32">
      <span className={`block h-full ${colour}`} style={{ width: widthOf(spent, whole) }} />
      <span className={`block h-full opacity-50 ${colour}`} style={{ width: widthOf(held, whole) }} />
    </span>
  );
}

const permilleOf = (part: bigint, whole: bigint): number => (whole === 0n ? 1_000 : Math.min(1_000, Number((part * 1_000n) / whole)));

// A tiny share stays visible.
const widthOf = (part: bigint, whole: bigint): string => (part === 0n ? "0" : `max(3px, ${permilleOf(part, whole) / 10}%)`);
