// Public lists of prices, to compare our costs with: the JSON of LiteLLM (model_prices_and_context_window.json) and that of genai-prices
// (data.json). Both are read leniently: they are other people's, and grow. Unit here: nano-USD per token, not always whole.

import { z } from "zod";
import { kinds, tokenKinds } from "@/lib/base/tokens/token-kinds";
import { vendorIds } from "../endpoints";
import type { KindPrices } from "../prices";
import type { Model } from "../types";

/** Prices of the first tier; a kind that the list does not have is absent. */
type ListedModel = Partial<Record<keyof KindPrices, number>>;

const price = z.number().nonnegative().nullish();

const litellmEntry = z.object({
  input_cost_per_token: price,
  output_cost_per_token: price,
  cache_read_input_token_cost: price,
  cache_creation_input_token_cost: price,
  cache_creation_input_token_cost_above_1hr: price,
  output_cost_per_reasoning_token: price,
});

/** A price by length has its first tier as `base`. */
const genaiPrice = z.union([z.number(), z.object({ base: z.number() }).transform(({ base }) => base)]).nullish();
const genaiPrices = z.object({
  input_mtok: genaiPrice,
  output_mtok: genaiPrice,
  cache_read_mtok: genaiPrice,
  cache_write_mtok: genaiPrice,
  cache_write_1h_mtok: genaiPrice,
  output_reasoning_mtok: genaiPrice,
});
const genaiModel = z.object({
  id: z.string(),
  // Of prices by date or by hour the dearest is ours: see catalogue-data.
  prices: z.union([genaiPrices, z.array(z.object({ prices: genaiPrices })).transform((all) => dearest(all.map((one) => one.prices)))]),
});
const genaiProvider = z.object({ id: z.string(), models: z.array(genaiModel) });

type GenaiPrices = z.infer<typeof genaiPrices>;

function dearest(all: readonly GenaiPrices[]): GenaiPrices {
  const most = (read: (one: GenaiPrices) => number | null | undefined) =>
    all.reduce<number | undefined>((found, one) => Math.max(found ?? 0, read(one) ?? 0) || found, undefined);
  return {
    input_mtok: most((one) => one.input_mtok),
    output_mtok: most((one) => one.output_mtok),
    cache_read_mtok: most((one) => one.cache_read_mtok),
    cache_write_mtok: most((one) => one.cache_write_mtok),
    cache_write_1h_mtok: most((one) => one.cache_write_1h_mtok),
    output_reasoning_mtok: most((one) => one.output_reasoning_mtok),
  };
}

const NANO_PER_USD = 1e9;
const NANO_PER_USD_PER_MILLION = 1_000;

/**
 * The prices of a list by the provider's own name of each model.
 * @throws Error when it is neither of the two lists
 */
export function readPublicPrices(text: string): ReadonlyMap<string, ListedModel> {
  const json: unknown = JSON.parse(text);
  const providers = z.array(genaiProvider).safeParse(json);
  if (providers.success) return readGenai(providers.data);
  const entries = z.record(z.string(), z.unknown()).safeParse(json);
  // Parts of LiteLLM's list, without its sample, are published as well.
  const models = readLitellm(entries.success ? entries.data : {});
  if (models.size > 0) return models;
  throw new Error("this is neither LiteLLM's model_prices_and_context_window.json nor genai-prices' data.json");
}

function readLitellm(entries: Record<string, unknown>): Map<string, ListedModel> {
  const models = new Map<string, ListedModel>();
  for (const [name, given] of Object.entries(entries)) {
    const parsed = litellmEntry.safeParse(given);
    if (!parsed.success || parsed.data.input_cost_per_token === undefined || name === "sample_spec") continue;
    const { data } = parsed;
    models.set(
      name,
      present(NANO_PER_USD, {
        input: data.input_cost_per_token,
        output: data.output_cost_per_token,
        cacheRead: data.cache_read_input_token_cost,
        cacheWrite: data.cache_creation_input_token_cost,
        cacheWrite1h: data.cache_creation_input_token_cost_above_1hr,
        reasoning: data.output_cost_per_reasoning_token,
      }),
    );
  }
  return models;
}

function readGenai(providers: readonly z.infer<typeof genaiProvider>[]): Map<string, ListedModel> {
  const models = new Map<string, ListedModel>();
  for (const { id: provider, models: listed } of providers) {
    for (const { id, prices } of listed) {
      const read = present(NANO_PER_USD_PER_MILLION, {
        input: prices.input_mtok,
        output: prices.output_mtok,
        cacheRead: prices.cache_read_mtok,
        cacheWrite: prices.cache_write_mtok,
        cacheWrite1h: prices.cache_write_1h_mtok,
        reasoning: prices.output_reasoning_mtok,
      });
      models.set(`${provider}/${id}`, read);
      if (firstNames[provider]) models.set(id, read);
    }
  }
  return models;
}

/** Providers whose models are called by their plain names. */
const firstNames: Readonly<Record<string, true>> = { openai: true, anthropic: true, google: true, "x-ai": true, deepseek: true };

function present(scale: number, prices: Partial<Record<keyof KindPrices, number | null | undefined>>): ListedModel {
  const found: ListedModel = {};
  for (const kind of kinds) {
    const value = prices[kind];
    // Tenths of a nano-USD: a float of USD has no more that means anything.
    if (typeof value === "number") found[kind] = Math.round(value * scale * 10) / 10;
  }
  return found;
}

export interface PriceDifference {
  model: string;
  kind: string;
  /** Nano-USD per token. */
  ours: number;
  theirs: number;
  /** True when we would sell below it. */
  isLoss: boolean;
}

/** The lists' names of a provider, where they are not ours. */
const listNames: Readonly<Record<string, readonly string[]>> = {
  fireworks: ["fireworks", "fireworks_ai"],
  moonshot: ["moonshot", "moonshotai"],
};

/** The list's entries for a model's routes. */
function listedRoutes({ id, aliases, routes }: Model, list: ReadonlyMap<string, ListedModel>): ListedModel[] {
  return routes.flatMap(({ provider, wireName }, index) => {
    const short = wireName.slice(wireName.lastIndexOf("/") + 1);
    const names = (listNames[provider] ?? [provider]).flatMap((listed) => [`${listed}/${wireName}`, `${listed}/${short}`]);
    // Plain names are those of a model's own vendor.
    const own = index > 0 ? [] : [wireName, id, ...aliases];
    const order = vendorIds.some((vendor) => vendor === provider) ? [...own, ...names] : [...names, ...own];
    return order.flatMap((name) => list.get(name) ?? []).slice(0, 1);
  });
}

/**
 * Where our costs are not those of the list, kind by kind in the first tier, and the models that the list does not have. Of several routes
 * the dearest counts.
 */
export function comparePrices(
  models: readonly Model[],
  list: ReadonlyMap<string, ListedModel>,
): { differences: PriceDifference[]; unknown: string[] } {
  const differences: PriceDifference[] = [];
  const unknown: string[] = [];
  for (const model of models) {
    const { id, costs, prices } = model;
    const listed = listedRoutes(model, list);
    if (listed.length === 0) unknown.push(id);
    for (const kind of kinds) {
      const ofRoutes = listed.flatMap((route) => route[kind] ?? []);
      const theirs = ofRoutes.length > 0 ? Math.max(...ofRoutes) : undefined;
      const ours = Number(costs[0][kind]);
      // Our prices are whole nano-USD, rounded up.
      if (theirs === undefined || Math.ceil(theirs) === ours) continue;
      differences.push({ model: id, kind: tokenKinds[kind].name, ours, theirs, isLoss: Number(prices[0][kind]) < theirs });
    }
  }
  return { differences, unknown };
}
