import type { ReactNode } from "react";
import { DataTable } from "../ui/data-table";

interface FieldTableProps {
  /** The first column's heading: "Field", "Header". */
  heading: string;
  /** The second column's heading: aboutHeading by default. */
  about?: string;
  /** The names are words, and no names of fields. */
  isPlain?: boolean;
  /** Names with their meanings; as pairs where a name is a number, which an object would move to its front. */
  rows: Readonly<Record<string, ReactNode>> | readonly (readonly [string, ReactNode])[];
}

/** Names with a sentence each, those of fields in a monospaced font; on a phone the sentence is below its name. */
export const FieldTable = ({ heading, about: aboutHeading = "Meaning", isPlain = false, rows }: FieldTableProps) => (
  <DataTable
    headClassName="max-sm:sr-only"
    rowClassName="align-top max-sm:block max-sm:py-2.5"
    cellClassName="max-sm:block sm:py-2.5"
    columns={[
      {
        id: "name",
        heading,
        className: "text-left sm:pr-6",
        cellClassName: isPlain ? "font-normal sm:min-w-40" : "font-mono font-normal whitespace-nowrap",
        cell: ([name]) => name,
      },
      { id: "about", heading: aboutHeading, className: "text-left", cellClassName: "text-muted", cell: ([, about]) => about },
    ]}
    rows={Array.isArray(rows) ? rows : Object.entries(rows)}
    idOf={([name]) => name}
  />
);
