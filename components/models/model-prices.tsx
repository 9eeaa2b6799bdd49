import { Amount, placesOf } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { parseUsd } from "@/lib/base/money";
import { kindTitle } from "@/lib/base/tokens/token-kinds";
import type { ListedModelPrice, ModelPrice } from "@/lib/console/views/models";
import { type Column, DataTable } from "../ui/data-table";
import { priceModel } from "./model-row";

const EXAMPLE = { input: 1_000n, output: 500n };

/** One kind of token, with its price in each tier. */
interface KindRow {
  kind: ListedModelPrice["kind"];
  /** By the tier's first count of input tokens; nano-USD per million. */
  amounts: ReadonlyMap<number, bigint>;
}

/** A model's prices: a line for each kind of token, a column for each length of the prompt; and the cost of an example. */
export function ModelPrices({ model }: { model: ModelPrice }) {
  const { cost } = priceModel(model, EXAMPLE);
  const prices = model.prices.filter(({ kind }) => kind !== "output" || model.type !== "embedding");
  const tiers = [...new Set(prices.map(({ fromInputTokens = 0 }) => fromInputTokens))];
  const rows = [...new Set(prices.map(({ kind }) => kind))].map((kind): KindRow => {
    const own = prices.filter((price) => price.kind === kind);
    return { kind, amounts: new Map(own.map(({ fromInputTokens = 0, per1M }) => [fromInputTokens, parseUsd(per1M)])) };
  });
  return (
    <section aria-label="Pricing" className="mt-10">
      <div className="flex items-baseline justify-between gap-4">
        <h2 className="text-base font-medium">Pricing</h2>
        <p className="text-xs text-muted">USD per 1M tokens</p>
      </div>
      <DataTable
        className="mt-3"
        headClassName={tiers.length > 1 ? "align-bottom" : "sr-only"}
        columns={columnsOf(tiers, placesOf(rows.flatMap(({ amounts }) => [...amounts.values()])))}
        rows={rows}
        idOf={({ kind }) => kind}
      />
      {cost === null ? null : (
        <p className="flex flex-wrap justify-between gap-x-6 py-2.5 text-sm">
          <span className="text-muted">{exampleText(model)}</span>
          <span className="font-mono">
            <Amount nano={cost} />
          </span>
        </p>
      )}
    </section>
  );
}

function columnsOf(tiers: readonly number[], places: number): Column<KindRow>[] {
  return [
    {
      id: "kind",
      heading: "Prompt",
      className: "text-left",
      cellClassName: "font-normal whitespace-nowrap text-muted",
      cell: ({ kind }) => kindTitle(kind),
    },
    ...tiers.map((from, index): Column<KindRow> => {
      const next = tiers[index + 1];
      return {
        id: `${from}`,
        heading: next === undefined ? `from ${countText(from)} tokens` : `below ${countText(next)} tokens`,
        className: "pl-4 text-right",
        cellClassName: "font-mono",
        cell: ({ amounts }) => {
          const amount = amounts.get(from);
          return amount === undefined ? "–" : <Amount nano={amount} places={places} />;
        },
      };
    }),
  ];
}

function exampleText({ type }: ModelPrice): string {
  const input = `Example: ${countText(Number(EXAMPLE.input))} tokens in`;
  return type === "embedding" ? input : `${input}, ${countText(Number(EXAMPLE.output))} out`;
}
