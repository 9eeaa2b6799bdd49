// The model catalogue: every model that this process can really serve, by name and by alias, with its price. It omits models whose
// provider is not configured, so that no listed name fails for that reason.

import { createHash } from "node:crypto";
import { DAY_MS, nowMs } from "@/lib/base/clock";
import { type Config, config } from "@/lib/base/config";
import { formatUsd, type NanoUsd, usdText } from "@/lib/base/money";
import { processSingleton } from "@/lib/base/process-singleton";
import { kinds, tokenKinds } from "@/lib/base/tokens/token-kinds";
import { builtInModels as promptModels } from "./catalogue-data";
import { embeddingModels } from "./catalogue-data/embedding";
import { type Retirement, retirements } from "./catalogue-data/retirements";
import { type Endpoints, endpoints, knownProviders } from "./endpoints";
import type { ModelRoute } from "./model-route";
import { readModelsFile } from "./models-file";
import { type ListedPrice, listPrices, tierAt } from "./prices";
import type { Model } from "./types";

const builtInModels: readonly Model[] = [...promptModels, ...embeddingModels];

export interface Catalogue {
  /** In catalogue order. */
  models: readonly Model[];
  byName: ReadonlyMap<string, Model>;
  /** Models that a configured provider served until their retirement, by name and alias. */
  retired: ReadonlyMap<string, RetiredModel>;
}

export interface RetiredModel extends Retirement {
  id: string;
}

interface CatalogueSettings {
  endpoints: Endpoints;
  modelsFile?: string | undefined;
  /** The providers that the models file may name; those in code when absent. */
  providers?: readonly string[];
  /** Unix time in milliseconds: decides which retirement dates have passed. */
  todayMs: number;
}

/**
 * Builds a catalogue from explicit settings.
 * @throws Error when the models file is wrong, or two models claim one name
 */
export const buildCatalogue = ({ modelsFile, providers, ...settings }: CatalogueSettings): Catalogue =>
  offer(readKnownModels(modelsFile, providers), settings);

function readKnownModels(modelsFile: string | undefined, providers: readonly string[] | undefined): readonly Model[] {
  const known = modelsFile ? readModelsFile(builtInModels, modelsFile, providers) : builtInModels;
  assertUniqueNames(known);
  return known;
}

/** The models that can be served today. */
function offer(known: readonly Model[], { endpoints, todayMs }: Pick<CatalogueSettings, "endpoints" | "todayMs">): Catalogue {
  const lasts = (retirement: Retirement | undefined) => !retirement || todayMs < Date.parse(retirement.on);
  const offered: Model[] = [];
  const ended: (Model & { retirement: Retirement })[] = [];
  for (const model of known) {
    const routes = model.routes.filter(({ provider }) => endpoints.has(provider));
    if (routes.length === 0) continue;
    const retirement = retirementOf(model, routes, endpoints);
    const [first, ...others] = routes.filter((route) => lasts(routeRetirement(route, endpoints)));
    if (first && lasts(retirement)) {
      const withEntries = (route: ModelRoute) => withEntry(route, model, endpoints);
      offered.push({ ...model, retirement, routes: [withEntries(first), ...others.map(withEntries)] });
    } else if (retirement) ended.push({ ...model, retirement });
  }
  const ids = new Set(offered.map(({ id }) => id));
  // A successor that is not on offer helps nobody.
  const advise = ({ on, successor }: Retirement): Retirement => ({
    on,
    successor: successor && ids.has(successor) ? successor : undefined,
  });
  const models = offered.map((model) => (model.retirement ? { ...model, retirement: advise(model.retirement) } : model));
  return {
    models,
    byName: byNameOf(models, (model) => model),
    retired: byNameOf(ended, ({ id, retirement }) => ({ id, ...advise(retirement) })),
  };
}

function byNameOf<M extends Model, T>(models: readonly M[], read: (model: M) => T): Map<string, T> {
  const byName = new Map<string, T>();
  for (const model of models) for (const name of [model.id, ...model.aliases]) byName.set(name, read(model));
  return byName;
}

/** Every model in code or in the operator's file, whatever is configured. @throws Error when a file is wrong, or two models claim one name */
export const readCatalogueModels = (settings: Config): readonly Model[] => readKnownModels(settings.MODELS_FILE, knownProviders(settings));

/** A provider's own host cannot serve a model that it has retired; any other host, and an operator's own route, is trusted. */
const routeRetirement = (route: ModelRoute, endpoints: Endpoints): Retirement | undefined =>
  endpoints.get(route.provider)?.isVendorHost && builtInRoutes.has(route)
    ? retirements.get(`${route.provider}/${route.wireName}`)
    : undefined;

/** The operator's date, or the day on which the last of the routes ends; the earlier of both. */
function retirementOf({ retirement }: Model, routes: readonly ModelRoute[], endpoints: Endpoints): Retirement | undefined {
  const ends = routes.flatMap((route) => routeRetirement(route, endpoints) ?? []).sort((one, other) => (one.on < other.on ? -1 : 1));
  const last = ends.length === routes.length ? ends.at(-1) : undefined;
  if (!retirement || !last) return retirement ?? last;
  return retirement.on <= last.on ? retirement : { ...last, successor: retirement.successor ?? last.successor };
}

/**
 * The route with the facts of its provider's entry. A provider that chooses a host by itself is told our costs, which it must not exceed.
 */
function withEntry(route: ModelRoute, { costs }: Model, endpoints: Endpoints): ModelRoute {
  const entry = endpoints.get(route.provider)?.entry;
  if (!entry) return route;
  const { format, stopsWhenCut } = entry;
  const dialect = { ...entry.dialect, ...route.dialect };
  const perMillion = (price: NanoUsd) => Number(usdText(price * 1_000_000n));
  const [{ input, output }] = costs;
  // A charge per request has no place in our prices.
  const maxPrice = dialect.maxPrice ? { prompt: perMillion(input), completion: perMillion(output), request: 0 } : undefined;
  return { ...route, entry: { format: route.wireFormat ?? format, dialect, stopsWhenCut, maxPrice } };
}

const builtInRoutes: ReadonlySet<ModelRoute> = new Set(builtInModels.flatMap((model) => model.routes));

function assertUniqueNames(models: readonly Model[]): void {
  const ownerOf = new Map<string, string>();
  for (const model of models) {
    for (const name of [model.id, ...model.aliases]) {
      const owner = ownerOf.get(name);
      if (owner !== undefined) throw new Error(`The model catalogue is not usable: "${name}" names both ${owner} and ${model.id}`);
      ownerOf.set(name, model.id);
    }
  }
}

interface DatedCatalogue {
  /** The day of UTC that it is for, counted from 1970. */
  day: number;
  /** Read once: a file that is being edited must not reach a running process. */
  known: readonly Model[];
  catalogue: Catalogue;
}

const catalogues = processSingleton("catalogues", () => new WeakMap<Endpoints, DatedCatalogue>());

/** The catalogue of this process and day; it follows a change of endpoints (in the sandbox, in tests). */
function catalogue(): Catalogue {
  const byEndpoints = catalogues();
  const current = endpoints();
  const todayMs = nowMs();
  const day = Math.floor(todayMs / DAY_MS);
  let dated = byEndpoints.get(current);
  if (dated?.day !== day) {
    const known = dated?.known ?? readCatalogueModels(config());
    dated = { day, known, catalogue: offer(known, { endpoints: current, todayMs }) };
    byEndpoints.set(current, dated);
  }
  return dated.catalogue;
}

/** The model of that exact name or alias, or null. Case matters. */
export const findModel = (nameOrAlias: string): Model | null => catalogue().byName.get(nameOrAlias) ?? null;

/** The model of that name or alias that has retired, or null. */
export const findRetired = (nameOrAlias: string): RetiredModel | null => catalogue().retired.get(nameOrAlias) ?? null;

/** When its vendor retires this model or has retired it, also where another host serves it on. */
export const vendorRetirementOf = ({ routes: [{ provider, wireName }] }: Pick<Model, "routes">): Retirement | undefined =>
  retirements.get(`${provider}/${wireName}`);

/** Every model on offer, in catalogue order. */
export const listModels = (): readonly Model[] => catalogue().models;

/** Current, cheap, and answering without reasoning first, where there is one; the best of them first. */
const preferredModels: readonly string[] = ["gemini-3.5-flash-lite", "grok-4.20", "claude-haiku-4-5", "gpt-6-luna", "deepseek-flash"];

/**
 * The model for somebody who has chosen none: of the playground, and of the examples on pages and in the API document.
 * @throws Error when the catalogue is empty; a service without models does not start
 */
export function defaultModel<M extends { id: string; type?: Model["type"] }>(models: readonly M[]): M {
  const preferred = preferredModels.flatMap((id) => models.find((model) => model.id === id) ?? []);
  const model = preferred[0] ?? models.find(({ type }) => type === undefined);
  if (!model) throw new Error("there is no model to show");
  return model;
}

/** Names (not aliases) of the models on offer that answer prompts, for the error about an unknown name. */
export const supportedModelNames = (): string[] => namesOf((model) => model.type === undefined);

/** The same of the models that make embeddings. */
export const embeddingModelNames = (): string[] => namesOf((model) => model.type === "embedding");

const namesOf = (isWanted: (model: Model) => boolean): string[] =>
  catalogue()
    .models.filter(isWanted)
    .map((model) => model.id);

/**
 * Refuses to sell below cost, whatever the kind of token and the length of the prompt.
 * @throws Error that lists every price that is below its provider's
 */
export function checkLivePrices(models: readonly Model[]): void {
  const perMillion = (nanoPerToken: bigint) => formatUsd(nanoPerToken * 1_000_000n);
  const problems: string[] = [];
  for (const { id, prices, costs } of models) {
    const lengths = new Set([...prices, ...costs].map(({ fromInputTokens }) => fromInputTokens));
    for (const length of [...lengths].sort((one, other) => one - other)) {
      const [price, cost] = [tierAt(prices, length), tierAt(costs, length)];
      for (const kind of kinds.filter((one) => price[one] < cost[one])) {
        const where = length > 0 ? ` from ${length} input tokens on` : "";
        const difference = `is sold at ${perMillion(price[kind])} and costs ${perMillion(cost[kind])} per million tokens`;
        problems.push(`  ${id}: ${tokenKinds[kind].name}${where} ${difference}`);
      }
    }
  }
  if (problems.length > 0) throw new Error(`Prices below the provider's cost; correct them in MODELS_FILE:\n${problems.join("\n")}`);
}

/**
 * Refuses to sell a model whose reasoning nothing bounds: its output limit does not, and its ceiling is not stated.
 * @throws Error that lists every such model and what to write
 */
export function checkReasoningCeilings(models: readonly Model[]): void {
  const unbounded = models.filter(({ reasoningCeiling, routes }) => reasoningCeiling === 0 && !routes.every(limitsReasoning));
  if (unbounded.length === 0) return;
  const lines = unbounded.map(
    ({ id }) => `  ${id}: write "reasoningCeiling", the most output tokens that it can spend on reasoning beyond its output limit`,
  );
  throw new Error(
    `Models whose output limit does not bound their reasoning, and thereby not their price; correct them in MODELS_FILE:\n${lines.join("\n")}`,
  );
}

/**
 * True where the output limit includes reasoning, or the model does not reason. xAI's limit bounds the answer alone, wherever its models are
 * hosted; of another provider its entry says it.
 */
function limitsReasoning({ provider, wireName, entry }: ModelRoute): boolean {
  const name = wireName.slice(wireName.lastIndexOf("/") + 1);
  const isXai = provider === "xai" || name.startsWith("grok-");
  return isXai ? withoutReasoning.test(name) : entry?.dialect.limitIncludesReasoning !== false;
}

// Every current xAI model reasons, except those whose name says that they do not.
const withoutReasoning = /non-reasoning|^grok-[23](?:-(?!mini)|$)/;

/**
 * Identifies a price by its content: the same model at the same prices has the same version on every machine. A model whose kinds all cost
 * the same has the version that it had when there were no kinds.
 */
export function priceVersion({ id, prices }: Pick<Model, "id" | "prices">): string {
  const [{ input, output }] = prices;
  const isPlain = ({ kind, fromInputTokens }: ListedPrice) => !fromInputTokens && (kind === "input" || kind === "output");
  const others = listPrices(prices).filter((listed) => !isPlain(listed));
  const lines = others.map(({ kind, price, fromInputTokens = 0 }) => `${kind} from ${fromInputTokens}=${price}\n`);
  const canonical = `model=${id}\ninputPrice=${input}\noutputPrice=${output}\n${lines.join("")}`;
  return `pv_${createHash("sha256").update(canonical).digest("hex").slice(0, 16)}`;
}
