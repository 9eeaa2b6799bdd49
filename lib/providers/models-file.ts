// The operator's MODELS_FILE: adds models and overrides built-in ones. Read once at start; a mistake in it fails the start and is
// reported with its entry and field.

import { readFileSync } from "node:fs";
import { z } from "zod";
import { type NanoUsd, nanoUsd, parseUsd } from "@/lib/base/money";
import { kindNames } from "@/lib/base/tokens/token-kinds";
import { providersInCode, vendorIds } from "./endpoints";
import type { ModelRoute } from "./model-route";
import { dearestOf, fillPrices, type ListedPrice, listPrices, type Prices, readListedPrices } from "./prices";
import { dialectChanges } from "./provider-entry";
import type { Model } from "./types";

const TOKENS_PER_MILLION = 1_000_000n;
const DEFAULT_MAX_TOKENS = 1024;

const tokens = z.number().int().min(1).max(100_000_000);
const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/, "write letters, digits and . _ : / @ - only, at most 128");

const day = z.iso.date("write a day, like 2027-01-14");

/** USD per million tokens, as text or a number; becomes nano-USD per token. */
const unitPrice = z.union([z.string(), z.number()]).transform((value, context): NanoUsd => {
  const problem = (message: string) => {
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  };
  try {
    const perMillion = parseUsd(String(value));
    if (perMillion < 0n) return problem("a price cannot be negative");
    if (perMillion % TOKENS_PER_MILLION !== 0n) return problem("use at most 3 decimal places of USD per million tokens");
    return nanoUsd(perMillion / TOKENS_PER_MILLION);
  } catch {
    return problem('write USD per million tokens, like "2.50"');
  }
});

/** As in `prices` of GET /api/v1/models. */
const listedPrices = z
  .array(
    z
      .strictObject({ kind: z.enum(kindNames), per1M: unitPrice, fromInputTokens: tokens.optional() })
      .transform(({ per1M, ...listed }): ListedPrice => ({ ...listed, price: per1M })),
  )
  .transform((listed, context): Prices => {
    try {
      return readListedPrices(listed);
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });

const route = z.strictObject({
  provider: z.string(),
  wireName: z.string().min(1).max(200),
  wireFormat: z.enum(["openai", "openai-responses"]).optional(),
  dialect: dialectChanges.optional(),
  providerCosts: listedPrices.optional(),
});

const entrySchema = z.strictObject({
  id: name,
  aliases: z.array(name).optional(),
  description: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\r\n]*$/, "write one line")
    .optional(),
  routes: z.tuple([route], route).optional(),
  contextWindow: tokens.optional(),
  maxOutputTokens: tokens.optional(),
  defaultMaxTokens: tokens.optional(),
  inputPrice: unitPrice.optional(),
  outputPrice: unitPrice.optional(),
  providerInputCost: unitPrice.optional(),
  providerOutputCost: unitPrice.optional(),
  prices: listedPrices.optional(),
  providerCosts: listedPrices.optional(),
  reasoningCeiling: z.number().int().min(0).max(100_000_000).optional(),
  tokenBound: z.enum(["o200k", "cl100k", "claude", "bytes"]).optional(),
  releasedOn: day.optional(),
  retiresOn: day.optional(),
  successor: name.optional(),
});

/**
 * The format of the file: `{"models": [{…}, …]}`. An entry whose `id` is a built-in model changes only the fields it names;
 * any other `id` adds a model and needs `routes`, `contextWindow`, `maxOutputTokens` and its prices and costs.
 *
 * `inputPrice`, `outputPrice` (charged to customers), `providerInputCost` and `providerOutputCost` (charged to us) are
 * **USD per million tokens**, as decimal text ("2.50") or a number, with at most 3 decimal places, so that each is a whole
 * number of nano-USD per token. New `routes` need the provider's costs beside them, since a cost belongs to its provider.
 *
 * Where kinds of tokens differ, `prices` and `providerCosts` are written in their place, as GET /api/v1/models lists them:
 * `[{"kind": "input", "per1M": "2"}, {"kind": "cache_read", "per1M": "0.2"}, {"kind": "output", "per1M": "10"}]`, with `fromInputTokens` for
 * prices from a length of the prompt on, which need `input` and `output` of their own. A kind without a price costs `input`, reasoning
 * `output`.
 * `routes` are called in their order. A route may have `providerCosts` of its own; of all costs the dearest count, kind by kind. A provider
 * is defined in code or is an entry of PROVIDERS_FILE, from whose `dialect` a route may differ.
 * A route may name its `wireFormat`: `openai` for a host that has OpenAI's reasoning models and no Responses, `openai-responses` for a host
 * that has a model under another name.
 * `releasedOn` is the day that GET /api/v1/models tells as `created` and `created_at`. Without it they are 0 and 1970-01-01, which Anthropic's
 * API documents for a date that is not known: clients that sort by age put such a model last, and none takes it for new.
 * From the day `retiresOn` (UTC) on the model is refused; its users are told before, and of its `successor`. A provider's own earlier date
 * counts all the same.
 * Defaults: `tokenBound` is `bytes`, `reasoningCeiling` 0, `defaultMaxTokens` 1024 or the output limit if that is lower.
 */
const modelsFileSchema = z.strictObject({ models: z.array(entrySchema) });

type ModelsFileEntry = z.infer<typeof entrySchema>;

const needed = ["routes", "contextWindow", "maxOutputTokens"] as const;

type Report = (field: string, message: string) => void;

/** The whole list, or the two plain prices in place of the base's; undefined when a new model has neither. */
function mergePrices(
  base: Prices | undefined,
  given: { listed: Prices | undefined; input: NanoUsd | undefined; output: NanoUsd | undefined },
  names: { listed: string; input: string; output: string },
  report: Report,
): Prices | undefined {
  const { listed, input, output } = given;
  if (listed && (input !== undefined || output !== undefined)) {
    report(names.listed, `write it, or ${names.input} and ${names.output}, not both`);
  }
  if (listed) return listed;
  if (base) {
    // Kinds without a price of their own follow the new one.
    const plain: Record<string, NanoUsd | undefined> = { input, output };
    const changed = listPrices(base).map((one) => (one.fromInputTokens ? one : { ...one, price: plain[one.kind] ?? one.price }));
    return readListedPrices(changed);
  }
  if (input === undefined) report(names.input, "a new model needs it");
  if (output === undefined) report(names.output, "a new model needs it");
  return input === undefined || output === undefined ? undefined : fillPrices({ input, output });
}

function withoutCosts({ routes }: ModelsFileEntry): { routes?: Model["routes"] } {
  if (!routes) return {};
  const [first, ...others] = routes.map(({ providerCosts: _, ...route }): ModelRoute => route);
  return first ? { routes: [first, ...others] } : {};
}

/** The costs of a model: of its own and its routes' the dearest, kind by kind. */
function mergeCosts(entry: ModelsFileEntry, base: Model | undefined, report: Report): Prices | undefined {
  const { routes = [], providerCosts: listed, providerInputCost: input, providerOutputCost: output } = entry;
  const [first, ...others] = routes.map((one) => one.providerCosts).filter((costs) => costs !== undefined);
  const isComplete = first !== undefined && others.length === routes.length - 1;
  if (isComplete && !listed && input === undefined && output === undefined) return dearestOf([first, ...others]);
  const own = mergePrices(
    // The costs of other routes say nothing about new ones.
    entry.routes ? undefined : base?.costs,
    { listed, input, output },
    { listed: "providerCosts", input: "providerInputCost", output: "providerOutputCost" },
    base ? () => undefined : report,
  );
  return own && dearestOf(first ? [own, first, ...others] : [own]);
}

function mergeEntry(entry: ModelsFileEntry, base: Model | undefined, report: Report): Model | undefined {
  const costs = mergeCosts(entry, base, report);
  if (!base) for (const field of needed) if (entry[field] === undefined) report(field, "a new model needs it");
  if (base && entry.routes && !costs) {
    report("routes", "new routes need providerInputCost and providerOutputCost, or providerCosts, beside them or in each of them");
  }
  const { routes = base?.routes } = withoutCosts(entry);
  const { contextWindow = base?.contextWindow, maxOutputTokens = base?.maxOutputTokens } = entry;
  const prices = mergePrices(
    base?.prices,
    { listed: entry.prices, input: entry.inputPrice, output: entry.outputPrice },
    { listed: "prices", input: "inputPrice", output: "outputPrice" },
    report,
  );
  if (!routes || contextWindow === undefined || maxOutputTokens === undefined || !prices || !costs) return undefined;

  if (maxOutputTokens > contextWindow) report("maxOutputTokens", "cannot exceed contextWindow");
  if (entry.defaultMaxTokens !== undefined && entry.defaultMaxTokens > maxOutputTokens)
    report("defaultMaxTokens", "cannot exceed maxOutputTokens");
  return {
    id: entry.id,
    aliases: entry.aliases ?? base?.aliases ?? [],
    description: entry.description ?? base?.description ?? entry.id,
    releasedOn: entry.releasedOn ?? base?.releasedOn,
    routes,
    contextWindow,
    maxOutputTokens,
    defaultMaxTokens: Math.min(entry.defaultMaxTokens ?? base?.defaultMaxTokens ?? DEFAULT_MAX_TOKENS, maxOutputTokens),
    prices,
    costs,
    reasoningCeiling: entry.reasoningCeiling ?? base?.reasoningCeiling ?? 0,
    tokenBound: entry.tokenBound ?? base?.tokenBound ?? "bytes",
    retirement: entry.retiresOn === undefined ? base?.retirement : { on: entry.retiresOn, successor: entry.successor },
  };
}

/**
 * `base` with the file's entries merged in: overridden models keep their position, new ones follow.
 * @throws Error that lists every wrong entry and field
 */
export function mergeModels(base: readonly Model[], fileText: string, providers: readonly string[] = providersInCode): Model[] {
  let json: unknown;
  try {
    json = JSON.parse(fileText);
  } catch (cause) {
    throw new Error(`it is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  const parsed = modelsFileSchema.safeParse(json);
  if (!parsed.success) throw new Error(parsed.error.issues.map((issue) => describeIssue(issue.path, issue.message, json)).join("\n"));

  const problems: string[] = [];
  const merged = new Map(base.map((model) => [model.id, model]));
  const seen = new Set<string>();
  parsed.data.models.forEach((entry, index) => {
    const report = (field: string, message: string) => problems.push(`models[${index}] "${entry.id}": ${field}: ${message}`);
    if (seen.has(entry.id)) report("id", "appears twice in this file");
    seen.add(entry.id);
    entry.routes?.forEach(({ provider, dialect }, place) => {
      if (!providers.includes(provider)) {
        report(
          `routes.${place}.provider`,
          `no provider has the name "${provider}"; there are ${providers.join(", ")}, and those of PROVIDERS_FILE`,
        );
      } else if (dialect && vendorIds.some((id) => id === provider)) {
        report(`routes.${place}.dialect`, `only providers that are entries have a dialect; ${provider} is not one`);
      }
    });
    const model = mergeEntry(entry, merged.get(entry.id), report);
    if (model) merged.set(entry.id, model);
  });
  parsed.data.models.forEach(({ id, retiresOn, successor }, index) => {
    if (successor === undefined) return;
    const report = (message: string) => problems.push(`models[${index}] "${id}": successor: ${message}`);
    if (retiresOn === undefined) report("it belongs to a date: write retiresOn beside it");
    if (successor === id || !merged.has(successor)) report(`"${successor}" is not the id of another model`);
  });
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return [...merged.values()];
}

function describeIssue(path: readonly PropertyKey[], message: string, json: unknown): string {
  const [list, index, ...field] = path;
  if (list !== "models" || typeof index !== "number") return `${path.map(String).join(".") || "the file"}: ${message}`;
  const entries = (json as { models: unknown[] }).models;
  const entry = entries[index];
  const id = typeof entry === "object" && entry !== null && "id" in entry ? ` ${JSON.stringify(entry.id)}` : "";
  return `models[${index}]${id}: ${field.map(String).join(".") || "entry"}: ${message}`;
}

/**
 * Merges the file at `path` into `base`.
 * @throws Error that names the file and what to correct in it
 */
export function readModelsFile(base: readonly Model[], path: string, providers?: readonly string[]): Model[] {
  try {
    return mergeModels(base, readFileSync(path, "utf8"), providers);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`MODELS_FILE ${path} is not usable:\n${reason.replace(/^/gm, "  ")}`, { cause: error });
  }
}
