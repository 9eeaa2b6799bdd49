import type { ReactNode } from "react";

interface FieldTableProps {
  /** What the first column names: "Field", "Header". */
  heading: string;
  rows: readonly { name: string; about: ReactNode }[];
}

/** Names in mono with a sentence each; on a phone the sentence stands below its name. */
export function FieldTable({ heading, rows }: FieldTableProps) {
  return (
    <table className="w-full text-sm">
      <thead className="max-sm:sr-only">
        <tr className="border-b border-edge text-left text-xs text-muted">
          <th scope="col" className="py-2 pr-6 font-medium">
            {heading}
          </th>
          <th scope="col" className="py-2 font-medium">
            Meaning
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, about }) => (
          <tr key={name} className="border-b border-line align-top max-sm:block max-sm:py-2.5">
            <th scope="row" className="text-left font-mono font-normal whitespace-nowrap max-sm:block sm:py-2.5 sm:pr-6">
              {name}
            </th>
            <td className="text-muted max-sm:block sm:py-2.5">{about}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
