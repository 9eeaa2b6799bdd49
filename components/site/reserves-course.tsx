import { dayText } from "@/components/ui/text/time-text";
import { formatUsd } from "@/lib/base/money";
import type { ReservePoint } from "@/lib/console/views/reserves";
import { Chapter } from "./chapter";

const WIDTH = 720;
const HEIGHT = 160;
const TOP = 8;

/** Held and owed over the last days, as two lines; the area under owed is filled. */
export function ReservesCourse({ points }: { points: readonly ReservePoint[] }) {
  const [first] = points;
  const last = points.at(-1);
  return (
    <Chapter title="The last 30 days">
      {first && last && points.length > 1 ? (
        <Lines points={points} first={first} last={last} />
      ) : (
        <p className="py-6 text-sm text-muted">The chart appears after six hours of reports.</p>
      )}
    </Chapter>
  );
}

interface LinesProps {
  points: readonly ReservePoint[];
  first: ReservePoint;
  last: ReservePoint;
}

function Lines({ points, first, last }: LinesProps) {
  const highest = points.flatMap(({ held, owed }) => [held, owed]).toSorted((one, other) => (one < other ? 1 : -1))[0] ?? 0n;
  // Only the drawing uses floats; the amounts shown as text are exact.
  const most = Math.max(1, Number(highest));
  const span = Math.max(1, last.at.getTime() - first.at.getTime());
  const x = ({ at }: ReservePoint) => ((at.getTime() - first.at.getTime()) / span) * WIDTH;
  const y = (nano: bigint) => HEIGHT - (Number(nano) / most) * (HEIGHT - TOP);
  const line = (of: (point: ReservePoint) => bigint) =>
    points.map((point) => `${x(point).toFixed(1)},${y(of(point)).toFixed(1)}`).join(" ");
  const short = points.filter(({ held, owed }) => held < owed).length;
  return (
    <figure className="mt-4">
      <p aria-hidden="true" className="mb-1 text-right font-mono text-xs text-muted">
        {formatUsd(highest)}
      </p>
      <svg
        role="img"
        aria-label={summary(first, last, short)}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-40 w-full"
      >
        <polygon points={`0,${HEIGHT} ${line(({ owed }) => owed)} ${WIDTH},${HEIGHT}`} fill="var(--panel)" />
        <polyline points={line(({ owed }) => owed)} fill="none" stroke="var(--faint)" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
        <polyline
          points={line(({ held }) => held)}
          fill="none"
          stroke="var(--copper)"
          strokeWidth="1.5"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <figcaption className="mt-2 flex flex-wrap justify-between gap-x-6 gap-y-1 border-t border-line pt-2 text-xs text-muted">
        <span>{dayText(first.at)}</span>
        <span className="flex gap-5">
          <Key colour="var(--copper)" name="held" />
          <Key colour="var(--faint)" name="owed" />
        </span>
        <span>{dayText(last.at)}</span>
      </figcaption>
    </figure>
  );
}

const Key = ({ colour, name }: { colour: string; name: string }) => (
  <span className="inline-flex items-center gap-1.5">
    <span aria-hidden="true" className="h-0.5 w-4" style={{ background: colour }} />
    {name}
  </span>
);

function summary(first: ReservePoint, last: ReservePoint, short: number): string {
  const always = short === 0 ? "Held was never below owed." : "At times, held was below owed.";
  return (
    `From ${dayText(first.at)} to ${dayText(last.at)}: held from ${formatUsd(first.held)} to ${formatUsd(last.held)}, ` +
    `owed from ${formatUsd(first.owed)} to ${formatUsd(last.owed)}. ${always}`
  );
}
