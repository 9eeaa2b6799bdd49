import type { FailureRow } from "@/lib/console/views/failures";
import { Panel } from "../panel";
import { FailuresTable } from "./failures-table";

interface SearchResultProps {
  requestId: string;
  /** Null: the account has no such request. */
  found: FailureRow | null;
}

/** A request that was searched for and not charged. */
export const SearchResult = ({ requestId, found }: SearchResultProps) => (
  <Panel title="Search result" className="mb-8">
    {found ? (
      <FailuresTable rows={[found]} isOpen />
    ) : (
      <p role="alert" className="text-sm text-pretty">
        No request <span className="font-mono break-all">{requestId}</span> in this account. Check the ID in the response header{" "}
        <span className="font-mono">X-Request-ID</span>. Refused and failed requests are kept for 30 days; a request that is still running
        is not listed yet.
      </p>
    )}
  </Panel>
);
