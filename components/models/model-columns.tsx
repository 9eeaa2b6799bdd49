import Link from "next/link";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { formatUsd } from "@/lib/base/money";
import { CopyButton } from "../ui/copy-button";
import type { Column } from "../ui/data-table";
import { firstSentence, modelHref, type PricedModel, retirementText } from "./model-row";
import { directionOf, SortButton, type Sorting } from "./sort-controls";
import type { SortKey } from "./table-view";

/** Six columns on a desktop, two lines on a phone. */
export function modelColumns(models: readonly PricedModel[], { today, ...sorting }: Sorting & { today: string }): Column<PricedModel>[] {
  const sortable = (id: SortKey, text: string) => ({
    id,
    heading: <SortButton {...sorting} sortKey={id} text={text} />,
    sorted: directionOf(sorting.sort, id),
  });
  const places = {
    input: placesOf(models.map(({ input }) => input)),
    output: placesOf(models.map(({ output }) => output)),
    cost: placesOf(models.map(({ cost }) => cost ?? 0n)),
  };
  return [
    {
      ...sortable("name", "Model"),
      className: "pr-4 text-left md:w-[44%]",
      cellClassName: "max-w-0 font-normal max-md:w-full",
      cell: (model) => <NameCell model={model} today={today} />,
    },
    { ...sortable("provider", "Provider"), className: "pr-4 text-left max-md:hidden", cell: ({ provider }) => provider },
    { ...sortable("context", "Context"), ...figure, cell: ({ contextWindow }) => countText(contextWindow) },
    { ...sortable("input", "In"), ...figure, cell: ({ input }) => <Amount nano={input} places={places.input} /> },
    { ...sortable("output", "Out"), ...figure, cell: ({ output }) => <Amount nano={output} places={places.output} /> },
    {
      ...sortable("cost", "Cost"),
      className: "text-right",
      cellClassName: "font-mono",
      cell: (model) => <CostCell model={model} places={places.cost} />,
    },
  ];
}

const figure = { className: "pr-4 text-right max-md:hidden", cellClassName: "font-mono" };

const NameCell = ({ model, today }: { model: PricedModel; today: string }) => {
  const { id, description, provider, contextWindow } = model;
  const retirement = retirementText(model, today);
  return (
    <>
      <span className="-my-1 flex items-center gap-0.5">
        <Link href={modelHref(id)} className="truncate underline-offset-4 hover:underline">
          <span className="font-mono font-medium">{id}</span>
        </Link>
        <CopyButton quiet text={id} label={`Copy ${id}`} />
      </span>
      <span className="block text-muted max-md:hidden">{firstSentence(description)}</span>
      {retirement ? <span className="block text-xs text-amber-ink">{retirement}</span> : null}
      <span className="block truncate text-xs text-muted md:hidden">
        {provider} · {countText(contextWindow)}
      </span>
    </>
  );
};

const CostCell = ({ model: { input, output, cost }, places }: { model: PricedModel; places: number }) => (
  <>
    {cost === null ? <span className="font-sans text-faint">does not fit</span> : <Amount nano={cost} places={places} />}
    <span className="mt-1 block text-xs whitespace-nowrap text-muted md:hidden">
      {formatUsd(input)} / {formatUsd(output)}
    </span>
  </>
);
