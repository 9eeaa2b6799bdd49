import type { FailureRow } from "@/lib/console/views/failures";
import { Button } from "../../ui/button";
import { Input } from "../../ui/field";
import { Panel } from "../panel";
import { FailuresTable } from "./failures-table";

interface RequestSearchProps {
  /** The id that was searched for. */
  requestId: string | null;
}

interface SearchResultProps {
  requestId: string;
  /** Null: the account has no such request. */
  found: FailureRow | null;
}

/** Finds one request by its id, charged or not; it works without JavaScript. */
export const RequestSearch = ({ requestId }: RequestSearchProps) => (
  <form action="/usage" className="flex items-end gap-2 max-sm:w-full">
    <div className="grid grow gap-1 sm:w-60">
      <label htmlFor="request-id" className="text-xs text-muted">
        Find a request
      </label>
      <Input
        id="request-id"
        name="request"
        defaultValue={requestId ?? ""}
        placeholder="req_…"
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        className="font-mono"
      />
    </div>
    <Button type="submit">Find</Button>
  </form>
);

/** A request that was searched for and not charged. */
export const SearchResult = ({ requestId, found }: SearchResultProps) => (
  <Panel title="Search result" className="mb-8">
    {found ? (
      <FailuresTable rows={[found]} isOpen />
    ) : (
      <p role="alert" className="text-sm text-pretty">
        No request <span className="font-mono break-all">{requestId}</span> in this account. Check the ID in the response header{" "}
        <span className="font-mono">X-Request-Id</span>. Refused and failed requests are listed for 30 days, up to 100 per minute.
      </p>
    )}
  </Panel>
);
