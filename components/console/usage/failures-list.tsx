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
export function FailuresList({ kind, view: { rows, counts, unlisted }, newest, older }: FailuresListProps) {
  const note = unlisted.count > 0 ? <p className="mt-3 text-xs text-muted">{unlistedText(kind, unlisted)}</p> : null;
  if (rows.length === 0 && newest === null && !(unlisted.count > 0 && unlisted.isInCounts))
    return (
      <>
        <EmptyState picture={<CircleCheckIcon />} title={`No ${kind} requests`}>
          Requests that return an error are listed here for 30 days, with the reason, how to fix it and what they cost. You pay only if part
          of an answer was delivered.
        </EmptyState>
        {note}
      </>
    );
  return (
    <>
      <FailuresTable rows={rows} />
      {note}
      <Pager shown={rows.length} of={counts[kind]} newest={newest} newer={null} older={older} />
    </>
  );
}

/** Beyond 100 a minute, requests are counted and not listed; the count has no model and no key. */
function unlistedText(kind: FailuresListProps["kind"], { count, isInCounts }: FailuresView["unlisted"]): string {
  const more = `${countText(count)} more ${kind} ${count === 1 ? "request is" : "requests are"}`;
  return isInCounts
    ? `${more} counted but not listed: we list up to 100 per minute.`
    : `${more} not included: we list up to 100 per minute, and the rest can’t be filtered by model or key.`;
}
