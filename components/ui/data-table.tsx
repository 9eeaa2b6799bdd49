import type { ReactNode } from "react";

export interface Column<Row> {
  id: string;
  heading: ReactNode;
  /** The whole of a heading that may be cut. */
  title?: string;
  cell: (row: Row) => ReactNode;
  /** Of the heading and the cells: `text-left` or `text-right`, what keeps them off the next column, where they are hidden. */
  className?: string;
  /** Of the heading alone, and of the cells alone. */
  headingClassName?: string;
  cellClassName?: string;
  /** Of a column that can be sorted by. */
  sorted?: "ascending" | "descending" | "none";
}

interface DataTableProps<Row> {
  /** The first one names its row. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** What tells a row from all others. */
  idOf: (row: Row) => string;
  /** What the table holds, for those who do not see what stands above it. */
  caption?: string;
  className?: string;
  headClassName?: string;
  /** Of each heading. */
  headingClassName?: string;
  rowClassName?: string;
  /** Of each cell. */
  cellClassName?: string;
}

/** Rows of one kind under their headings, set off by hairlines. */
export function DataTable<Row>({
  columns,
  rows,
  idOf,
  caption,
  className,
  headClassName,
  headingClassName = "py-2",
  ...looks
}: DataTableProps<Row>) {
  const { rowClassName, cellClassName = "py-2.5" } = looks;
  return (
    <table className={join("w-full text-sm", className)}>
      {caption ? <caption className="sr-only">{caption}</caption> : null}
      <thead className={headClassName}>
        <tr className="border-b border-edge text-xs text-muted">
          {columns.map((column) => (
            <th
              key={column.id}
              scope="col"
              title={column.title}
              aria-sort={column.sorted}
              className={join("font-medium", headingClassName, column.className, column.headingClassName)}
            >
              {column.heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)} className={join("border-b border-line", rowClassName)}>
            {columns.map((column, index) => {
              const Cell = index === 0 ? "th" : "td";
              return (
                <Cell
                  key={column.id}
                  scope={index === 0 ? "row" : undefined}
                  className={join(cellClassName, column.className, column.cellClassName)}
                >
                  {column.cell(row)}
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// Not classNames(), whose weight pages for everybody do not carry: of two that set the same thing the stylesheet decides.
const join = (...names: (string | undefined)[]): string => names.filter(Boolean).join(" ");
