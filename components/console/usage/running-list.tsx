import Link from "next/link";
import { Amount, placesOf } from "@/components/ui/text/amount";
import type { RunningRow } from "@/lib/console/views/usage";
import { type Column, DataTable } from "../../ui/data-table";
import { LocalTime } from "../../ui/text/local-time";

const columnsOf = (places: number): readonly Column<RunningRow>[] => [
  {
    id: "model",
    heading: "Model",
    className: "pr-4 text-left font-normal",
    cellClassName: "max-w-0 w-full truncate",
    cell: ({ requestId, model, key, startedAt }) => (
      <>
        <Link href={`/usage?receipt=${requestId}`} className="truncate font-mono after:absolute after:inset-0">
          {model}
        </Link>
        <span className="mt-0.5 block truncate text-xs text-muted md:hidden">
          <LocalTime at={startedAt} shape="short" /> · {key}
        </span>
      </>
    ),
  },
  {
    id: "time",
    heading: "Started",
    className: "pr-4 text-left whitespace-nowrap max-md:hidden",
    cellClassName: "text-muted",
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
    id: "reserved",
    heading: "Reserved",
    className: "text-right",
    cellClassName: "font-mono",
    cell: ({ reserved }) => <Amount nano={reserved} places={places} />,
  },
];

/** Requests whose charge is still to come, each with the amount reserved for it; nothing without any. */
export function RunningList({ rows }: { rows: readonly RunningRow[] }) {
  if (rows.length === 0) return null;
  return (
    <section aria-label="Running requests" className="mb-6 rounded border border-edge px-4 pt-3 pb-1">
      <p className="text-sm">
        <strong className="font-medium">{rows.length === 1 ? "1 request is" : `${rows.length} requests are`} running</strong>{" "}
        <span className="text-muted">
          or finishing at the provider after you stopped. Each is charged its exact cost when it ends, and the rest of its reserved funds
          becomes available again.
        </span>
      </p>
      <DataTable
        className="mt-2"
        headClassName="max-md:sr-only"
        columns={columnsOf(placesOf(rows.map(({ reserved }) => reserved)))}
        rows={rows}
        idOf={({ requestId }) => requestId}
        rowClassName="relative align-top"
        caption="Running requests"
      />
    </section>
  );
}
