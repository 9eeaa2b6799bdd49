import Link from "next/link";
import { placesOf } from "@/components/ui/text/amount";
import type { UsageRow } from "@/lib/console/views/usage";
import { type Column, DataTable } from "../../ui/data-table";
import { ChargeCell, chargeLink, chargeTable, costColumn, keyColumn, timeColumn, tokenColumn } from "../usage/charge-cells";

/** The latest requests; each opens its receipt. */
export function LatestRequests({ rows }: { rows: readonly UsageRow[] }) {
  const columns = [
    modelColumn,
    timeColumn,
    keyColumn(({ key }) => key),
    tokenColumn("Tokens", ({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    costColumn(placesOf(rows.map(({ cost }) => cost))),
  ];
  return <DataTable {...chargeTable} columns={columns} rows={rows} idOf={({ requestId }) => requestId} />;
}

const modelColumn: Column<UsageRow> = {
  id: "model",
  heading: "Model",
  className: "pr-4 text-left",
  cellClassName: "max-w-0 font-normal max-md:w-full md:w-[38%]",
  cell: (row) => (
    <ChargeCell
      row={row}
      keyName={row.key}
      link={(text) => (
        <Link href={`/usage?receipt=${row.requestId}`} className={chargeLink}>
          {text}
        </Link>
      )}
    />
  ),
};
