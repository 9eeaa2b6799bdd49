// A line of the built-in catalogue as it is written down, and the model that it becomes: our prices are the provider's plus a margin, kind
// by kind.

import { nanoUsd } from "@/lib/base/money";
import type { PartKind, Side } from "@/lib/base/tokens/token-kinds";
import type { ModelRoute, ProviderId } from "../model-route";
import { dearestOf, fillPrices, listPrices, mapPrices, type Prices } from "../prices";
import type { ChatDialect } from "../provider-entry";
import type { Model, TokenBoundId } from "../types";

const DEFAULT_MAX_TOKENS = 1024;
export const MARGIN_PERCENT = 5n;

/** Nano-USD per token (1 USD per million tokens = 1,000). A kind without a price costs `input`, and reasoning `output`. */
type KindCosts = Record<Side, number> & Partial<Record<PartKind, number>>;

/** The provider's own prices. */
interface ProviderCosts extends KindCosts {
  /** From that much input on, every token of the request costs this instead. */
  tiers?: readonly (KindCosts & { fromInputTokens: number })[];
}

export interface ModelRow {
  id: string;
  /** The day on which its vendor released it, as YYYY-MM-DD. */
  releasedOn: string;
  description: string;
  wireName?: string;
  aliases?: readonly string[];
  context: number;
  maxOutput: number;
  cost: ProviderCosts;
  /** Where the provider's entry in code says something else. */
  dialect?: Partial<ChatDialect>;
  /** Called in this order when the first does not answer. */
  otherRoutes?: readonly (ModelRoute & { cost: ProviderCosts })[];
  /** Our price of every token, whatever its kind: the specification's. Without it, the cost plus the margin. */
  price?: number;
  bound: TokenBoundId;
}

/** The cost plus the margin, rounded up to whole nano-USD. */
const withMargin = (cost: bigint) => nanoUsd((cost * (100n + MARGIN_PERCENT) + 99n) / 100n);

/** True where every price is the provider's plus the margin. */
export const followsMargin = ({ prices, costs }: Pick<Model, "prices" | "costs">): boolean =>
  JSON.stringify(listPrices(prices), bigintText) === JSON.stringify(listPrices(mapPrices(costs, withMargin)), bigintText);

const bigintText = (_: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

const inNanoUsd = <Costs extends KindCosts>({ input, output, ...other }: Costs) => ({
  input: nanoUsd(input),
  output: nanoUsd(output),
  ...Object.fromEntries(Object.entries(other).map(([kind, cost]) => [kind, nanoUsd(cost)])),
});

function readCosts({ tiers = [], ...base }: ProviderCosts): Prices {
  return fillPrices(
    inNanoUsd(base),
    tiers.map(({ fromInputTokens, ...costs }) => ({ ...inNanoUsd(costs), fromInputTokens })),
  );
}

/** A model of one provider; `vendor` is its part of the `vendor/model` names that other gateways use. */
export function modelOf(provider: ProviderId, vendor: string, row: ModelRow): Model {
  const { wireName = row.id, dialect, otherRoutes = [] } = row;
  const costs = dearestOf([readCosts(row.cost), ...otherRoutes.map(({ cost }) => readCosts(cost))]);
  const price = row.price === undefined ? undefined : nanoUsd(row.price);
  return {
    id: row.id,
    aliases: [`${vendor}/${row.id}`, ...(row.aliases ?? [])],
    description: row.description,
    releasedOn: row.releasedOn,
    routes: [{ provider, wireName, ...(dialect && { dialect }) }, ...otherRoutes.map(({ cost: _, ...route }) => route)],
    contextWindow: row.context,
    maxOutputTokens: row.maxOutput,
    defaultMaxTokens: Math.min(DEFAULT_MAX_TOKENS, row.maxOutput),
    prices: price === undefined ? mapPrices(costs, withMargin) : fillPrices({ input: price, output: price }),
    costs,
    reasoningCeiling: 0,
    tokenBound: row.bound,
  };
}
