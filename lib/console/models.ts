// The model catalogue for pages: plain serializable rows, prices as exact decimal text.

import { now } from "@/lib/base/clock";
import { usdText } from "@/lib/base/money";
import { defaultModel, listModels, vendorRetirementOf } from "@/lib/providers/catalogue";
import { endpoints } from "@/lib/providers/endpoints";
import { takesImages } from "@/lib/providers/image-bound/bound";
import { listPrices } from "@/lib/providers/prices";
import type { Model } from "@/lib/providers/types";
import type { ModelPrice } from "./views/models";

const vendorNames: Readonly<Record<string, string>> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Google",
  xai: "xAI",
  deepseek: "DeepSeek",
};

/** The display name of a provider. A provider that is no longer configured has the name that charges know. */
export const providerName = (id: string): string => vendorNames[id] ?? endpoints().get(id)?.entry?.name ?? id;

/** The model of this id or alias, or null. */
export const findModelPrice = (models: readonly ModelPrice[], name: string): ModelPrice | null =>
  models.find(({ id, aliases }) => id === name || aliases.includes(name)) ?? null;

/** The model for somebody who has chosen none. */
export const defaultModelPrice = (models: readonly ModelPrice[]): ModelPrice => defaultModel(models);

const perMillion = (nanoUsdPerToken: bigint): string => usdText(nanoUsdPerToken * 1_000_000n);

/** Every model on offer with its price: current ones first, the newest leading, then embeddings, then retired models. */
export function listModelPrices(): ModelPrice[] {
  const today = now().toISOString().slice(0, 10);
  const rankOf = ({ type, retiresOn = today }: ModelPrice) => (retiresOn < today ? 2 : type === "embedding" ? 1 : 0);
  const ofDay = ({ releasedOn = "" }: ModelPrice) => releasedOn;
  // toSorted is stable: models of one day keep the catalogue's order.
  return listModels()
    .map(priceOf)
    .toSorted((one, other) => rankOf(one) - rankOf(other) || ofDay(other).localeCompare(ofDay(one)));
}

function priceOf(model: Model): ModelPrice {
  const retirement = model.retirement ?? vendorRetirementOf(model);
  return {
    id: model.id,
    type: model.type,
    aliases: model.aliases,
    description: model.description,
    provider: providerName(model.routes[0].provider),
    takesImages: model.routes.every(takesImages),
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    inputPrice: perMillion(model.prices[0].input),
    outputPrice: perMillion(model.prices[0].output),
    prices: listPrices(model.prices).map(({ price, ...listed }) => ({ ...listed, per1M: perMillion(price) })),
    releasedOn: model.releasedOn,
    retiresOn: retirement?.on,
    isServedOn: model.retirement === undefined && retirement !== undefined,
    successor: retirement?.successor,
  };
}
