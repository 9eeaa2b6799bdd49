// The model catalogue for pages: plain serializable rows, prices as exact decimal text.

import { usdText } from "@/lib/base/money";
import { listModels } from "@/lib/providers/catalogue";
import type { ProviderId } from "@/lib/providers/types";
import type { ModelPrice } from "./views/models";

/** The display name of a provider. */
export const providerName: Record<ProviderId, string> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Google",
  xai: "xAI",
  deepseek: "DeepSeek",
};

/** Current, cheap, and answering without reasoning first, where there is one; the best of them first. */
const preferredModels: readonly string[] = ["gemini-3.5-flash-lite", "grok-4.20", "claude-haiku-4-5", "gpt-6-luna", "deepseek-flash"];

/**
 * The model for somebody who has chosen none: of the playground, and of the examples on pages.
 * @throws Error when the catalogue is empty; a service without models does not start
 */
export function defaultModel(models: readonly ModelPrice[]): ModelPrice {
  const preferred = preferredModels.flatMap((id) => models.find((model) => model.id === id) ?? []);
  const model = preferred[0] ?? models[0];
  if (!model) throw new Error("there is no model to show");
  return model;
}

/** The model of this id or alias, or null. */
export const findModelPrice = (models: readonly ModelPrice[], name: string): ModelPrice | null =>
  models.find(({ id, aliases }) => id === name || aliases.includes(name)) ?? null;

const perMillion = (nanoUsdPerToken: bigint): string => usdText(nanoUsdPerToken * 1_000_000n);

/** Every model on offer with its price, in catalogue order. */
export function listModelPrices(): ModelPrice[] {
  return listModels().map((model) => ({
    id: model.id,
    aliases: model.aliases,
    description: model.description,
    provider: providerName[model.routes[0].provider],
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    inputPrice: perMillion(model.inputPrice),
    outputPrice: perMillion(model.outputPrice),
  }));
}
