import { LocalTime } from "@/components/ui/text/local-time";
import type { HappenedEvent } from "@/lib/console/views/alerts";

/** What happened to the account, as sentences. */
export const Timeline = ({ events }: { events: readonly HappenedEvent[] }) => (
  <ol aria-label="Events" className="text-sm">
    {events.map(({ id, type, at, sentence }) => (
      <li key={id} className="grid gap-x-4 gap-y-0.5 border-b border-line py-2.5 first:border-t md:grid-cols-[8rem_minmax(0,1fr)]">
        <span className="text-muted">
          <LocalTime at={at} shape="short" />
        </span>
        <span className="min-w-0">
          <span className="block [overflow-wrap:anywhere]">{sentence}</span>
          <span className="font-mono text-xs text-muted">{type}</span>
        </span>
      </li>
    ))}
  </ol>
);
