// The table cells of a charge.

import type { ReactNode } from "react";
import { Amount } from "@/components/ui/text/amount";
import { LocalTime } from "@/components/ui/text/local-time";
import { countText } from "@/components/ui/text/number-text";
import type { UsageRow } from "@/lib/console/views/usage";
import { Badge } from "../../ui/badge";
import type { Column } from "../../ui/data-table";
import { allParts } from "./token-parts";

/** The outcome of an incomplete answer. */
const outcomeText: Readonly<Record<string, string>> = { partial: "incomplete", cancelled: "cancelled" };

interface ChargeCellProps {
  row: UsageRow;
  /** The key's label in the table. */
  keyName: ReactNode;
  /** Wraps its text in the link to the receipt; `chargeLink` is its style. */
  link: (text: ReactNode) => ReactNode;
}

/** Covers the whole row. */
export const chargeLink = "truncate font-mono after:absolute after:inset-0";

/** The model, which names the row; on a phone with the time, the key and the kinds of tokens below it. */
export function ChargeCell({ row, keyName, link }: ChargeCellProps) {
  const outcome = outcomeText[row.outcome];
  return (
    <>
      <span className="flex items-center gap-2">
        {link(
          <>
            <span className="sr-only">Receipt: </span>
            {row.model}
            <span className="sr-only">
              , <LocalTime at={row.startedAt} shape="exact" />
            </span>
          </>,
        )}
        {outcome ? <Badge>{outcome}</Badge> : null}
      </span>
      <span className="mt-0.5 block truncate text-xs text-muted md:hidden">
        <LocalTime at={row.startedAt} shape="short" /> · {keyName}
      </span>
      <span className="mt-0.5 block text-xs text-pretty text-muted empty:hidden md:hidden">{allParts(row)}</span>
    </>
  );
}

export const timeColumn: Column<UsageRow> = {
  id: "time",
  heading: "Started",
  className: "pr-4 text-left max-md:hidden",
  cellClassName: "text-muted",
  cell: ({ startedAt }) => <LocalTime at={startedAt} shape="short" />,
};

export const keyColumn = (nameOf: (row: UsageRow) => ReactNode): Column<UsageRow> => ({
  id: "key",
  heading: "Key",
  className: "pr-4 text-left max-md:hidden",
  cellClassName: "max-w-40 truncate text-muted",
  cell: nameOf,
});

/** `partsOf` names the kinds of tokens in the count. */
export const tokenColumn = (
  heading: string,
  countOf: (row: UsageRow) => number,
  partsOf: (row: UsageRow) => string = () => "",
): Column<UsageRow> => ({
  id: heading,
  heading,
  className: "pr-4 text-right max-md:hidden",
  cellClassName: "font-mono",
  cell: (row) => (
    <>
      {countText(countOf(row))}
      <span className="mt-0.5 ml-auto block max-w-44 font-sans text-xs text-pretty text-muted empty:hidden">{partsOf(row)}</span>
    </>
  ),
});

/** On a phone with the tokens below it. */
export const costColumn = (places: number): Column<UsageRow> => ({
  id: "cost",
  heading: "Cost",
  className: "text-right",
  cellClassName: "font-mono",
  cell: ({ cost, inputTokens, outputTokens }) => (
    <>
      <Amount nano={cost} places={places} />
      <span className="mt-0.5 block text-xs whitespace-nowrap text-muted md:hidden">{countText(inputTokens + outputTokens)} tok</span>
    </>
  ),
});

/** The style of a table whose rows link to receipts. */
export const chargeTable = { headClassName: "max-md:sr-only", rowClassName: "relative align-top transition hover:bg-panel" };
