import { Badge } from "../../ui/badge";

interface ConfirmationsProps {
  done: number;
  needed: number;
}

/** Confirmations, counting up. */
export function Confirmations({ done, needed }: ConfirmationsProps) {
  return (
    <span className="flex items-center gap-2.5 max-md:justify-end">
      <Badge tone="waiting">
        confirming {done}/{needed}
      </Badge>
      <span
        role="progressbar"
        aria-label="Confirmations"
        aria-valuemin={0}
        aria-valuemax={needed}
        aria-valuenow={done}
        className="h-1 w-24 overflow-hidden rounded-full bg-line max-sm:w-14"
      >
        <span className="block h-full bg-amber-ink transition-[width]" style={{ width: `${Math.min(100, (done / needed) * 100)}%` }} />
      </span>
    </span>
  );
}
