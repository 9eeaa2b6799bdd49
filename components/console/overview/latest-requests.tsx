import Link from "next/link";
import type { UsageRow } from "@/lib/console/views/usage";
import { Amount, placesOf } from "../../ui/amount";
import { Badge } from "../../ui/badge";
import { LocalTime } from "../../ui/local-time";
import { count, outcomeText } from "../usage/usage-row";

/** The last few requests; each opens its receipt. */
export function LatestRequests({ rows }: { rows: readonly UsageRow[] }) {
  const places = placesOf(rows.map(({ cost }) => cost));
  return (
    <table className="w-full text-sm">
      <thead className="max-md:sr-only">
        <tr className="border-b border-edge text-xs text-muted">
          <th scope="col" className="py-2 pr-4 text-left font-medium">
            Model
          </th>
          <th scope="col" className="py-2 pr-4 text-left font-medium max-md:hidden">
            Time
          </th>
          <th scope="col" className="py-2 pr-4 text-left font-medium max-md:hidden">
            Key
          </th>
          <th scope="col" className="py-2 pr-4 text-right font-medium max-md:hidden">
            Tokens
          </th>
          <th scope="col" className="py-2 text-right font-medium">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <RequestLine key={row.requestId} row={row} places={places} />
        ))}
      </tbody>
    </table>
  );
}

function RequestLine({ row, places }: { row: UsageRow; places: number }) {
  const tokens = count(row.inputTokens + row.outputTokens);
  const outcome = outcomeText[row.outcome];
  return (
    <tr className="relative border-b border-line align-top transition hover:bg-panel">
      <th scope="row" className="max-w-0 py-2.5 pr-4 text-left font-normal max-md:w-full md:w-[38%]">
        <span className="flex items-center gap-2">
          <Link href={`/usage?receipt=${row.requestId}`} className="truncate font-mono after:absolute after:inset-0">
            <span className="sr-only">Receipt: </span>
            {row.model}
            <span className="sr-only">
              , <LocalTime at={row.at} shape="exact" />
            </span>
          </Link>
          {outcome ? <Badge>{outcome}</Badge> : null}
        </span>
        <span className="mt-0.5 block truncate text-xs text-muted md:hidden">
          <LocalTime at={row.at} shape="short" /> · {row.key}
        </span>
      </th>
      <td className="py-2.5 pr-4 text-muted max-md:hidden">
        <LocalTime at={row.at} shape="short" />
      </td>
      <td className="max-w-40 truncate py-2.5 pr-4 text-muted max-md:hidden">{row.key}</td>
      <td className="py-2.5 pr-4 text-right font-mono max-md:hidden">{tokens}</td>
      <td className="py-2.5 text-right font-mono">
        <Amount nano={row.cost} places={places} />
        <span className="mt-0.5 block text-xs whitespace-nowrap text-muted md:hidden">{tokens} tok</span>
      </td>
    </tr>
  );
}
