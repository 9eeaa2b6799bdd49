"use client";

import { createColumnHelper, tableFeatures, useTable } from "@tanstack/react-table";
import { useMemo } from "react";
import type { UsageRow } from "@/lib/console/views/usage";
import { Amount, placesOf } from "../../ui/amount";
import { Badge } from "../../ui/badge";
import { LocalTime } from "../../ui/local-time";
import { count, outcomeText } from "./usage-row";

type Open = (requestId: string, from: HTMLElement) => void;

const features = tableFeatures({});
const helper = createColumnHelper<typeof features, UsageRow>();

// Each page is filtered, ordered and cut by the ledger: the table only lays it out.
const columnsOf = (places: number, onOpen: Open) =>
  helper.columns([
    helper.accessor("model", { header: "Model", cell: ({ row }) => <ModelCell row={row.original} onOpen={onOpen} /> }),
    helper.accessor("at", { header: "Time", cell: ({ row }) => <LocalTime at={row.original.at} shape="short" /> }),
    helper.accessor("key", { header: "Key", cell: ({ row }) => <KeyName row={row.original} /> }),
    helper.accessor("inputTokens", { header: "Input", cell: ({ row }) => count(row.original.inputTokens) }),
    helper.accessor("outputTokens", { header: "Output", cell: ({ row }) => count(row.original.outputTokens) }),
    helper.accessor("cost", { header: "Cost", cell: ({ row }) => <CostCell row={row.original} places={places} /> }),
  ]);

const looks: Readonly<Record<string, string>> = {
  model: "max-w-0 text-left font-normal pr-4 max-md:w-full md:w-[34%]",
  at: "text-left text-muted pr-4 max-md:hidden",
  key: "max-w-40 truncate text-left text-muted pr-4 max-md:hidden",
  inputTokens: "text-right font-mono pr-4 max-md:hidden",
  outputTokens: "text-right font-mono pr-4 max-md:hidden",
  cost: "text-right font-mono",
};

interface ChargesTableProps {
  rows: readonly UsageRow[];
  /** Shows a row's receipt; without JavaScript its link does. */
  onOpen: Open;
}

/** One page of charged requests: a row of six columns on a desk, two lines on a phone. */
export function ChargesTable({ rows, onOpen }: ChargesTableProps) {
  const places = placesOf(rows.map(({ cost }) => cost));
  const columns = useMemo(() => columnsOf(places, onOpen), [places, onOpen]);
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({ features, columns, data, getRowId: ({ requestId }) => requestId });
  return (
    <table className="w-full text-sm">
      <thead className="max-md:sr-only">
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id} className="border-b border-edge text-xs">
            {group.headers.map((header) => (
              <th key={header.id} scope="col" className={`py-2 font-sans font-medium text-muted ${looks[header.column.id]}`}>
                <table.FlexRender header={header} />
              </th>
            ))}
          </tr>
        ))}
      </thead>
      <tbody>
        {table.getRowModel().rows.map((row) => (
          <tr key={row.id} className="relative border-b border-line align-top transition hover:bg-panel">
            {row.getAllCells().map((cell) => {
              const Cell = cell.column.id === "model" ? "th" : "td";
              return (
                <Cell key={cell.id} scope={Cell === "th" ? "row" : undefined} className={`py-2.5 ${looks[cell.column.id]}`}>
                  <table.FlexRender cell={cell} />
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ModelCell({ row, onOpen }: { row: UsageRow; onOpen: Open }) {
  const outcome = outcomeText[row.outcome];
  return (
    <>
      <span className="flex items-center gap-2">
        <a
          href={`/usage?receipt=${row.requestId}`}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return; // another tab was asked for
            event.preventDefault();
            onOpen(row.requestId, event.currentTarget);
          }}
          className="truncate font-mono after:absolute after:inset-0"
        >
          <span className="sr-only">Receipt: </span>
          {row.model}
          <span className="sr-only">
            , <LocalTime at={row.at} shape="exact" />
          </span>
        </a>
        {outcome ? <Badge>{outcome}</Badge> : null}
      </span>
      <span className="mt-0.5 block truncate text-xs text-muted md:hidden">
        <LocalTime at={row.at} shape="short" /> · <KeyName row={row} />
      </span>
    </>
  );
}

const KeyName = ({ row }: { row: UsageRow }) =>
  row.isKeyRevoked ? (
    <>
      {row.key} <span className="text-faint">(revoked)</span>
    </>
  ) : (
    row.key
  );

const CostCell = ({ row, places }: { row: UsageRow; places: number }) => (
  <>
    <Amount nano={row.cost} places={places} />
    <span className="mt-0.5 block text-xs whitespace-nowrap text-muted md:hidden">{count(row.inputTokens + row.outputTokens)} tok</span>
  </>
);
