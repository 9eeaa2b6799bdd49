import { Button } from "../../ui/button";
import { Input } from "../../ui/field";

interface RequestSearchProps {
  /** What was searched for. */
  requestId: string | null;
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
