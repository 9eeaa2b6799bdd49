import Link from "next/link";
import type { FailureRow } from "@/lib/console/views/failures";
import { Badge } from "../../ui/badge";
import { type Column, DataTable } from "../../ui/data-table";
import { LocalTime } from "../../ui/text/local-time";
import { ShortAddress } from "../../ui/text/short-address";

const columns: readonly Column<FailureRow>[] = [
  {
    id: "error",
    heading: "Error",
    className: "pr-4 text-left font-normal",
    cell: ({ status, code, title, fix, at, key, model }) => (
      <>
        <span className="flex flex-wrap items-center gap-2">
          <Badge>{status}</Badge>
          <Link href={`/docs/errors/${code}`} className="font-mono underline-offset-4 hover:underline">
            {code}
          </Link>
        </span>
        <span className="mt-1 block text-pretty">{title}</span>
        <span className="mt-0.5 block text-xs text-pretty text-muted">{fix}</span>
        <span className="mt-0.5 block text-xs text-muted md:hidden">
          <LocalTime at={at} shape="short" /> · {key}
          {model ? ` · ${model}` : ""}
        </span>
      </>
    ),
  },
  {
    id: "time",
    heading: "Time",
    className: "pr-4 text-left max-md:hidden",
    cellClassName: "whitespace-nowrap text-muted",
    cell: ({ at }) => <LocalTime at={at} shape="short" />,
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
    className: "text-right",
    cell: ({ requestId }) => <ShortAddress value={requestId} what="request ID" />,
  },
];

interface FailuresTableProps {
  rows: readonly FailureRow[];
}

/** Refused or failed requests, each with what its error means and how to fix it. */
export const FailuresTable = ({ rows }: FailuresTableProps) => (
  <DataTable
    columns={columns}
    rows={rows}
    idOf={({ requestId }) => requestId}
    headClassName="max-md:sr-only"
    rowClassName="align-top"
    caption="Refused and failed requests"
  />
);
