// GET /api/v1/models and /api/v1/models/{model}: the available models and their prices.

import { AppError } from "@/lib/base/errors";
import { type Json, writeJson } from "@/lib/base/json";
import { nanoUsd } from "@/lib/base/money";
import { findModel, findRetired, listModels } from "@/lib/providers/catalogue";
import { takesImages } from "@/lib/providers/image-bound/bound";
import { listPrices, type Prices } from "@/lib/providers/prices";
import type { Model } from "@/lib/providers/types";
import { type Endpoint, endpoint, jsonReply } from "../http/endpoint";
import { nearestModel } from "../http/nearest-name";
import { inDialect } from "../http/no-endpoint";
import type * as answer from "../openapi/answers/prompt";

/**
 * Codex asks with its version, expects a list of `models` in a form of its own, and logs an error without one. It adds that list to its
 * built-in models, so the list is empty (openai/codex, codex-rs/codex-api/src/endpoint/models.rs and models-manager/src/manager.rs, read
 * 2026-11-28).
 */
const forCodex = (query: string): { models?: Json[] } => (new URLSearchParams(query).has("client_version") ? { models: [] } : {});

export const models = endpoint("models", async (request) =>
  jsonReply(request, 200, writeJson({ ...listBody(listModels()), ...forCodex(request.query) })),
);

/** A list of OpenAI's and of Anthropic's form at once: both vendors' clients read it. */
const listBody = (all: readonly Model[]): answer.ModelList => ({
  object: "list",
  data: all.map(modelBody),
  first_id: all[0]?.id ?? null,
  last_id: all.at(-1)?.id ?? null,
  has_more: false,
});

/** One model, by its name or an alias. */
const steps: Endpoint = async (request) => {
  const name = request.path.slice(request.path.lastIndexOf("/") + 1);
  const found = findModel(name);
  if (!found) throw unknownName(name);
  return jsonReply(request, 200, writeJson(modelBody(found)));
};

export const model = inDialect("model", steps);

function unknownName(name: string): AppError {
  const retired = findRetired(name);
  const nearest = nearestModel(
    name,
    listModels().flatMap(({ id, aliases }) => [id, ...aliases]),
  );
  const meant = nearest === undefined ? "" : `Did you mean ${nearest}? `;
  const message = retired
    ? `${retired.id} retired on ${retired.on}. ${retired.successor ? `Use ${retired.successor} instead` : "GET /api/v1/models lists all models"}`
    : `Unknown model "${name.slice(0, 100)}". ${meant}GET /api/v1/models lists all models`;
  return new AppError("NOT_FOUND", { message });
}

/** The price of each kind of token, in USD per million. */
export const priceList = (prices: Prices) =>
  listPrices(prices).map(({ kind, price, fromInputTokens }) => ({ kind, per1M: nanoUsd(price * 1_000_000n), fromInputTokens }));

/** The beginning of the day, in Unix seconds, and as a time; 0 and 1970 for an unknown day, as Anthropic's API has it. */
export function releaseTime({ releasedOn = "1970-01-01" }: Pick<Model, "releasedOn">): { created: number; created_at: string } {
  const created_at = `${releasedOn}T00:00:00Z`;
  return { created: Date.parse(created_at) / 1_000, created_at };
}

const modelBody = (of: Model): answer.Model => ({
  id: of.id,
  object: "model",
  type: "model",
  display_name: of.id,
  owned_by: of.routes[0].provider,
  description: of.description,
  outputModalities: of.type === "embedding" ? ["embedding"] : ["text"],
  inputModalities: of.routes.every(takesImages) ? ["text", "image"] : ["text"],
  contextWindow: of.contextWindow,
  maxOutputTokens: of.maxOutputTokens,
  max_input_tokens: of.contextWindow,
  max_tokens: of.maxOutputTokens,
  pricing: { inputPer1K: nanoUsd(of.prices[0].input * 1000n), outputPer1K: nanoUsd(of.prices[0].output * 1000n), currency: "USD" },
  prices: priceList(of.prices),
  aliases: of.aliases,
  retiresOn: of.retirement?.on,
  successor: of.retirement?.successor,
  ...releaseTime(of),
});
