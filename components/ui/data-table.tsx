import type { ReactNode } from "react";

export interface Column<Row> {
  id: string;
  heading: ReactNode;
  /** The full text of a heading that may be truncated. */
  title?: string;
  cell: (row: Row) => ReactNode;
  /** For the heading and the cells: `text-left` or `text-right`, the gap to the next column, where they are hidden. */
  className?: string;
  /** For the heading alone, and for the cells alone. */
  headingClassName?: string;
  cellClassName?: string;
  /** For a sortable column. */
  sorted?: "ascending" | "descending" | "none";
}

interface DataTableProps<Row> {
  /** The first column names its row. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The unique id of a row. */
  idOf: (row: Row) => string;
  /** The name of the table, for screen readers. */
  caption?: string;
  className?: string;
  headClassName?: string;
  /** For each heading. */
  headingClassName?: string;
  rowClassName?: string;
  /** For each cell. */
  cellClassName?: string;
}

/** Rows of one kind under their headings, separated by hairlines. */
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

// Not classNames(), which is too large for public pages: between two conflicting names the stylesheet decides.
const join = (...names: (string | undefined)[]): string => names.filter(Boolean).join(" ");
