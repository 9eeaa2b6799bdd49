import Link from "next/link";
import type { FailureRow } from "@/lib/console/views/failures";
import { Badge } from "../../ui/badge";
import { type Column, DataTable } from "../../ui/data-table";
import { FoldSummary } from "../../ui/fold-summary";
import { Amount } from "../../ui/text/amount";
import { LocalTime } from "../../ui/text/local-time";
import { ShortAddress } from "../../ui/text/short-address";

interface FailuresTableProps {
  rows: readonly FailureRow[];
  /** On a phone, each row's details are open. */
  isOpen?: boolean;
}

const columnsOf = (isOpen: boolean): readonly Column<FailureRow>[] => [
  {
    id: "error",
    heading: "Error",
    className: "pr-4 text-left font-normal max-md:w-full max-md:max-w-0 max-md:pr-0",
    cell: (row) => <Failure row={row} isOpen={isOpen} />,
  },
  {
    id: "time",
    heading: "Started",
    className: "pr-4 text-left max-md:hidden",
    cellClassName: "whitespace-nowrap text-muted",
    cell: ({ startedAt }) => <LocalTime at={startedAt} shape="short" />,
  },
  {
    id: "key",
    heading: "Key",
    className: "pr-4 text-left max-md:hidden",
    cellClassName: "max-w-40 truncate text-muted",
    cell: ({ key }) => key,
  },
  {
    id: "model",
    heading: "Model",
    className: "pr-4 text-left max-md:hidden",
    cellClassName: "font-mono text-muted",
    cell: ({ model }) => model ?? "–",
  },
  {
    id: "request",
    heading: "Request ID",
    className: "pr-4 text-left max-md:hidden",
    cell: ({ requestId }) => <ShortAddress value={requestId} what="request ID" />,
  },
  {
    id: "cost",
    heading: "Cost",
    className: "text-right whitespace-nowrap max-md:hidden",
    cell: (row) => <FailureCost row={row} />,
  },
];

/** The error, what it means and how to fix it; on a phone two lines, and the rest on demand. */
function Failure({ row, isOpen }: { row: FailureRow; isOpen: boolean }) {
  const { requestId, status, code, title, fix, startedAt, key, model } = row;
  return (
    <>
      <span className="flex items-center gap-2">
        <Badge>{status}</Badge>
        <Link href={`/docs/errors/${code}`} className="truncate font-mono underline-offset-4 hover:underline">
          {code}
        </Link>
      </span>
      <span className="mt-1 block text-pretty max-md:hidden">{title}</span>
      <span className="mt-0.5 block text-xs text-pretty text-muted max-md:hidden">{fix}</span>
      <details open={isOpen} className="mt-1 text-xs text-muted md:hidden">
        <FoldSummary>
          <span className="truncate">
            <LocalTime at={startedAt} shape="short" /> · <FailureCost row={row} /> · {title}
          </span>
        </FoldSummary>
        <p className="mt-1 text-pretty">{fix}</p>
        <p className="mt-1">
          {key}
          {model ? ` · ${model}` : ""} · <ShortAddress value={requestId} what="request ID" />
        </p>
      </details>
    </>
  );
}

/** The customer's price of a request that got an error: most cost nothing. */
function FailureCost({ row: { requestId, cost } }: { row: FailureRow }) {
  if (cost === null) return <>Not settled yet</>;
  if (cost === 0n) return <span className="text-muted">Not charged</span>;
  return (
    <Link href={`/usage?receipt=${requestId}`} className="font-mono underline underline-offset-4">
      <Amount nano={cost} />
    </Link>
  );
}

/** Refused or failed requests, newest first. */
export const FailuresTable = ({ rows, isOpen = false }: FailuresTableProps) => (
  <DataTable
    columns={columnsOf(isOpen)}
    rows={rows}
    idOf={({ requestId }) => requestId}
    headClassName="max-md:sr-only"
    rowClassName="align-top"
    caption="Refused and failed requests"
  />
);
