import { Badge } from "../../ui/badge";

interface ConfirmationsProps {
  done: number;
  needed: number;
}

const RADIUS = 6;
const ROUND = 2 * Math.PI * RADIUS;

/** Confirmations, counting up on a ring that fills. */
export function Confirmations({ done, needed }: ConfirmationsProps) {
  const filled = Math.min(1, done / needed);
  return (
    <span className="inline-flex items-baseline gap-2 whitespace-nowrap">
      <Badge tone="waiting">
        confirming {done} of {needed}
      </Badge>
      <svg
        role="progressbar"
        aria-label="Confirmations"
        aria-valuemin={0}
        aria-valuemax={needed}
        aria-valuenow={done}
        viewBox="0 0 16 16"
        fill="none"
        strokeWidth="2.5"
        className="size-4 shrink-0 self-center -rotate-90"
      >
        <circle cx="8" cy="8" r={RADIUS} className="stroke-line" />
        <circle
          cx="8"
          cy="8"
          r={RADIUS}
          strokeDasharray={`${filled * ROUND} ${ROUND}`}
          className="stroke-amber-ink transition-[stroke-dasharray]"
        />
      </svg>
    </span>
  );
}
