"use client";

import type { ReactNode } from "react";
import { placesOf } from "@/components/ui/text/amount";
import type { UsageRow } from "@/lib/console/views/usage";
import { type Column, DataTable } from "../../ui/data-table";
import { ChargeCell, chargeLink, chargeTable, costColumn, keyColumn, timeColumn, tokenColumn } from "./charge-cells";
import { inputParts, outputParts } from "./token-parts";

type Open = (requestId: string, from: HTMLElement) => void;

interface ChargesTableProps {
  rows: readonly UsageRow[];
  /** Shows a row's receipt; without JavaScript its link does that. */
  onOpen: Open;
}

/** One page of charged requests: a row of six columns on a desktop, two lines on a phone. */
export function ChargesTable({ rows, onOpen }: ChargesTableProps) {
  // The ledger filters, sorts and pages the rows: the table only lays them out.
  const columns: Column<UsageRow>[] = [
    {
      id: "model",
      heading: "Model",
      className: "pr-4 text-left font-normal",
      cellClassName: "max-w-0 max-md:w-full md:w-[34%]",
      cell: (row) => (
        <ChargeCell
          row={row}
          keyName={<KeyName row={row} />}
          link={(text) => (
            <ReceiptLink requestId={row.requestId} onOpen={onOpen}>
              {text}
            </ReceiptLink>
          )}
        />
      ),
    },
    timeColumn,
    keyColumn((row) => <KeyName row={row} />),
    tokenColumn("Input", ({ inputTokens }) => inputTokens, inputParts),
    tokenColumn("Output", ({ outputTokens }) => outputTokens, outputParts),
    costColumn(placesOf(rows.map(({ cost }) => cost))),
  ];
  return <DataTable {...chargeTable} columns={columns} rows={rows} idOf={({ requestId }) => requestId} />;
}

interface ReceiptLinkProps {
  requestId: string;
  onOpen: Open;
  children: ReactNode;
}

const ReceiptLink = ({ requestId, onOpen, children }: ReceiptLinkProps) => (
  <a
    href={`/usage?receipt=${requestId}`}
    onClick={(event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return; // the person wants another tab
      event.preventDefault();
      onOpen(requestId, event.currentTarget);
    }}
    className={chargeLink}
  >
    {children}
  </a>
);

const KeyName = ({ row }: { row: UsageRow }) =>
  row.isKeyRevoked ? (
    <>
      {row.key} <span className="text-faint">(revoked)</span>
    </>
  ) : (
    row.key
  );
