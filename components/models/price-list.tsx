import Link from "next/link";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { type NanoUsd, parseUsd } from "@/lib/base/money";
import type { ModelPrice } from "@/lib/console/views/models";
import { type Column, DataTable } from "../ui/data-table";
import { firstSentence, modelHref } from "./model-row";

/** A static list of models and prices, without JavaScript. */
export function PriceList({ rows }: { rows: readonly ModelPrice[] }) {
  const priced = rows.map((row) => ({ ...row, input: parseUsd(row.inputPrice), output: parseUsd(row.outputPrice) }));
  const places = placesOf(priced.flatMap(({ input, output }) => [input, output]));
  return <DataTable headingClassName="py-2.5" columns={columnsOf(places)} rows={priced} idOf={({ id }) => id} />;
}

interface Priced extends ModelPrice {
  /** Per million tokens. */
  input: NanoUsd;
  output: NanoUsd;
}

const columnsOf = (places: number): Column<Priced>[] => [
  {
    id: "model",
    heading: "Model",
    className: "pr-4 text-left",
    cellClassName: "max-w-0 truncate font-mono font-medium max-md:w-full md:w-1/2",
    cell: ({ id, description }) => (
      <>
        <Link href={modelHref(id)} className="underline-offset-4 hover:underline">
          {id}
        </Link>
        <span className="ml-3 font-sans font-normal text-muted max-lg:hidden">{firstSentence(description)}</span>
      </>
    ),
  },
  { id: "provider", heading: "Provider", className: "pr-4 text-left max-md:hidden", cell: ({ provider }) => provider },
  {
    id: "context",
    heading: "Context",
    className: "pr-4 text-right max-md:hidden",
    cellClassName: "font-mono",
    cell: ({ contextWindow }) => countText(contextWindow),
  },
  {
    id: "input",
    heading: "In",
    className: "pr-4 text-right",
    cellClassName: "font-mono",
    cell: ({ input }) => <Amount nano={input} places={places} />,
  },
  {
    id: "output",
    heading: "Out",
    className: "text-right",
    cellClassName: "font-mono",
    cell: ({ output }) => <Amount nano={output} places={places} />,
  },
];
