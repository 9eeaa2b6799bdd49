import { CircleCheckIcon } from "lucide-react";
import type { FailuresView } from "@/lib/console/views/failures";
import { EmptyState } from "../../ui/empty-state";
import { countText } from "../../ui/text/number-text";
import { FailuresTable } from "./failures-table";
import { Pager } from "./pager";

interface FailuresListProps {
  kind: "refused" | "failed";
  view: FailuresView;
  /** URLs of the newest page, from another one, and of the next older page. */
  newest: string | null;
  older: string | null;
}

/** One page of refused or failed requests. */
export function FailuresList({ kind, view: { rows, counts, onlyCounted }, newest, older }: FailuresListProps) {
  if (rows.length === 0 && onlyCounted === 0 && newest === null)
    return (
      <EmptyState picture={<CircleCheckIcon />} title={`No ${kind} requests`}>
        Requests that get an error are listed here for 30 days, with the reason and how to fix it. They cost nothing, unless a stream broke
        off: then you pay for what was delivered.
      </EmptyState>
    );
  return (
    <>
      <FailuresTable rows={rows} />
      {onlyCounted > 0 ? (
        <p className="mt-3 text-xs text-muted">
          {countText(onlyCounted)} more are only counted: at most 100 requests a minute are listed one by one.
        </p>
      ) : null}
      <Pager shown={rows.length} of={counts[kind]} newest={newest} newer={null} older={older} />
    </>
  );
}
