import { parseUsd } from "@/lib/base/money";
import type { ModelPrice } from "@/lib/console/views/models";
import { Amount, placesOf } from "../ui/amount";

/** Models and prices to read, not to work with: no JavaScript. */
export function PriceList({ rows }: { rows: readonly ModelPrice[] }) {
  const priced = rows.map((row) => ({ ...row, input: parseUsd(row.inputPrice), output: parseUsd(row.outputPrice) }));
  const places = placesOf(priced.flatMap(({ input, output }) => [input, output]));
  return (
    <table className="w-full text-sm">
      <thead>
        <tr className="border-b border-edge text-xs text-muted">
          <th scope="col" className="py-2.5 pr-4 text-left font-medium">
            Model
          </th>
          <th scope="col" className="py-2.5 pr-4 text-left font-medium max-md:hidden">
            Provider
          </th>
          <th scope="col" className="py-2.5 pr-4 text-right font-medium max-md:hidden">
            Context
          </th>
          <th scope="col" className="py-2.5 pr-4 text-right font-medium">
            In
          </th>
          <th scope="col" className="py-2.5 text-right font-medium">
            Out
          </th>
        </tr>
      </thead>
      <tbody>
        {priced.map((row) => (
          <tr key={row.id} className="border-b border-line">
            <th scope="row" className="max-w-0 truncate py-2.5 pr-4 text-left font-mono font-medium max-md:w-full md:w-1/2">
              {row.id}
              <span className="ml-3 font-sans font-normal text-muted max-lg:hidden">{row.description.split(/(?<=\.)\s/)[0]}</span>
            </th>
            <td className="py-2.5 pr-4 max-md:hidden">{row.provider}</td>
            <td className="py-2.5 pr-4 text-right font-mono max-md:hidden">{row.contextWindow.toLocaleString("en-US")}</td>
            <td className="py-2.5 pr-4 text-right font-mono">
              <Amount nano={row.input} places={places} />
            </td>
            <td className="py-2.5 text-right font-mono">
              <Amount nano={row.output} places={places} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
