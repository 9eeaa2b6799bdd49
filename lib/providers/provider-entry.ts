// Providers as entries: a name, a base URL, the variable with its key, a wire format, and the part of chat completions that it takes. Those
// in code are offered once their key is set; the operator's PROVIDERS_FILE adds any other: OpenRouter, Together, vLLM, Ollama.

import { readFileSync } from "node:fs";
import { z } from "zod";
import { type Config, configVariables } from "@/lib/base/config";

/** Fields that a bound of ours depends on: an entry does not write them. */
const ourFields = ["model", "messages", "max_tokens", "max_completion_tokens", "n", "best_of", "tools", "stream", "stream_options"];

const dialectFields = z.strictObject({
  limit: z.enum(["max_tokens", "max_completion_tokens"]),
  /** temperature and top_p */
  sampling: z.boolean(),
  /** frequency_penalty and presence_penalty */
  penalties: z.boolean(),
  stop: z.boolean(),
  seed: z.enum(["seed", "random_seed", "none"]),
  parallelToolCalls: z.boolean(),
  strictTools: z.boolean(),
  /** The tools it can be made to call: a named tool, any of the tools (`required`), or none (`auto`). */
  toolChoice: z.enum(["named", "required", "auto"]),
  /** `short`: nine letters and digits. */
  toolCallIds: z.enum(["any", "short"]),
  /**
   * The order of turns that it takes. `openai`: any. `template`: that of its models' chat templates, as at vLLM: instructions at the beginning,
   * then the user and the model in turn, at last the user. `mistral`: besides, an answer after results.
   */
  turns: z.enum(["openai", "template", "mistral"]),
  /** If false, the schema goes into a message and the format is json_object. */
  jsonSchema: z.boolean(),
  /** Sends the usage of a stream only when `stream_options` ask for it. If false, it sends it unasked. */
  streamOptions: z.boolean(),
  /** Refuses messages of the assistant without `reasoning_content`: an empty one is sent where its model has not thought. */
  reasoningContent: z.boolean(),
  /** The values of `reasoning_effort` that it takes. */
  efforts: z.array(z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"])),
  /** The output limit includes what the model spends on reasoning. If false, its models need a `reasoningCeiling`. */
  limitIncludesReasoning: z.boolean(),
  /** The field that keeps the prompt caches of accounts apart (decisions/0029), like vLLM's `cache_salt`; empty where there is none. */
  cacheScope: z
    .string()
    .regex(/^[a-z_]{0,40}$/, "write the name of a field, like cache_salt")
    .refine((name) => !ourFields.includes(name), "this field is written by the gateway"),
  /** Takes OpenRouter's `provider.max_price`, which keeps a call from a host that is dearer than our costs. */
  maxPrice: z.boolean(),
  /** Fields of every request, as they are. */
  body: z.record(
    z.string().refine((name) => !ourFields.includes(name), "this field is written by the gateway"),
    z.json(),
  ),
});

/** The part of chat completions that a provider takes. Options that it would answer with 400 are left out of its requests. */
export type ChatDialect = z.infer<typeof dialectFields>;

/** The dialect of most compatible servers, vLLM and Ollama among them. */
const commonDialect: ChatDialect = {
  limit: "max_tokens",
  sampling: true,
  penalties: true,
  stop: true,
  seed: "seed",
  parallelToolCalls: true,
  strictTools: true,
  toolChoice: "named",
  toolCallIds: "any",
  turns: "template",
  jsonSchema: true,
  streamOptions: true,
  reasoningContent: false,
  efforts: [],
  limitIncludesReasoning: true,
  cacheScope: "",
  maxPrice: false,
  body: {},
};

/** As a file writes it: only what differs. */
export const dialectChanges = dialectFields.partial();

const notOurSecret = (name: string): boolean => !configVariables.includes(name) || name.endsWith("_API_KEY");

const entrySchema = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "write lower-case letters, digits and -, at most 40, beginning with a letter"),
  /** As pages show it. */
  name: z.string().min(1).max(60).optional(),
  baseUrl: z.url({ protocol: /^https?$/, error: "write an http(s) URL, as the provider's own SDK takes it" }),
  /** The environment variable with the key; absent for a server that wants none. */
  keyVariable: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, "write the name of an environment variable, like TOGETHER_API_KEY, and not the key itself")
    .refine(notOurSecret, "this variable is a setting of the gateway, which no provider may see")
    .optional(),
  format: z.enum(["openai", "anthropic", "gemini"]).default("openai"),
  /** It stops generating, and billing, when a stream's connection closes. If false, a stream that nobody reads any more is read to its end. */
  stopsWhenCut: z.boolean().default(false),
  dialect: dialectChanges.transform((changes): ChatDialect => dialectFields.parse({ ...commonDialect, ...changes })).prefault({}),
});

export type ProviderEntry = z.infer<typeof entrySchema>;

/** The facts about calls in an entry, and in the model's own route. */
export interface RouteEntry {
  format: ProviderEntry["format"] | "openai-responses";
  dialect: ChatDialect;
  stopsWhenCut: boolean;
  /**
   * Prices that the provider itself must not exceed, USD per million tokens and per request; only for a provider that takes such a limit.
   */
  maxPrice?: { prompt: number; completion: number; request: number } | undefined;
}

type KeySetting = Extract<keyof Config, `${string}_API_KEY`>;
export type BuiltInEntry = ProviderEntry & { keyVariable: KeySetting };

const builtIn = (keyVariable: KeySetting, entry: Omit<z.input<typeof entrySchema>, "keyVariable">): BuiltInEntry => ({
  ...entrySchema.parse({ ...entry, keyVariable }),
  keyVariable,
});

/** Facts as of 2026-11-26. Which hosts stop billing when a stream is cut: openrouter.ai/docs/api/reference/streaming. */
export const builtInEntries: readonly BuiltInEntry[] = [
  // It answers 422 "Extra inputs are not permitted" to fields that its reference does not have, `stream_options`, `max_completion_tokens` and
  // `seed` among them, and "must be a-z, A-Z, 0-9, with a length of 9" to other ids of tool calls: docs.mistral.ai/api.
  builtIn("MISTRAL_API_KEY", {
    id: "mistral",
    name: "Mistral",
    baseUrl: "https://api.mistral.ai/v1",
    dialect: { seed: "random_seed", streamOptions: false, toolCallIds: "short", turns: "mistral" },
  }),
  // console.groq.com/docs/openai, console.groq.com/docs/reasoning
  builtIn("GROQ_API_KEY", {
    id: "groq",
    name: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    dialect: { limit: "max_completion_tokens" },
  }),
  // It answers 400 "Extra inputs are not permitted" to `stream_options` and to a tool's `strict`; its reference has neither `seed` nor
  // `parallel_tool_calls`; a stream's last chunk has the usage unasked: docs.fireworks.ai/api-reference/post-chatcompletions.
  builtIn("FIREWORKS_API_KEY", {
    id: "fireworks",
    name: "Fireworks",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    stopsWhenCut: true,
    dialect: {
      seed: "none",
      parallelToolCalls: false,
      strictTools: false,
      streamOptions: false,
      cacheScope: "prompt_cache_isolation_key",
    },
  }),
  // Its models have fixed sampling (any other temperature is "invalid temperature"), always reason, refuse a named tool, and messages whose
  // thought is missing: platform.kimi.ai/docs/api/models-overview, platform.kimi.ai/docs/guide/use-thinking-models.
  builtIn("MOONSHOT_API_KEY", {
    id: "moonshot",
    name: "Moonshot AI",
    baseUrl: "https://api.moonshot.ai/v1",
    dialect: {
      limit: "max_completion_tokens",
      sampling: false,
      penalties: false,
      seed: "none",
      parallelToolCalls: false,
      strictTools: false,
      toolChoice: "required",
      reasoningContent: true,
      efforts: ["low", "high", "max"],
    },
  }),
  // "parallel_tool_calls=False is not supported", "Unsupported tool_choice … Expected 'auto' or 'none'", 400 to penalties, and to `strict`
  // with some models: inference-docs.cerebras.ai/resources/openai.
  builtIn("CEREBRAS_API_KEY", {
    id: "cerebras",
    name: "Cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
    dialect: {
      limit: "max_completion_tokens",
      penalties: false,
      parallelToolCalls: false,
      strictTools: false,
      toolChoice: "auto",
      efforts: ["low", "medium", "high"],
    },
  }),
];

const fileSchema = z.strictObject({ providers: z.array(entrySchema) });

/**
 * The entries of the file at `path`: `{"providers": [{"id": "openrouter", "baseUrl": "https://openrouter.ai/api/v1", "keyVariable":
 * "OPENROUTER_API_KEY", "dialect": {"maxPrice": true}}, …]}`. `taken` are ids that it must not use again.
 * @throws Error that names the file and what to correct in it
 */
export function readProvidersFile(path: string, taken: readonly string[]): ProviderEntry[] {
  try {
    return readEntries(readFileSync(path, "utf8"), taken);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`PROVIDERS_FILE ${path} is not usable:\n${reason.replace(/^/gm, "  ")}`, { cause: error });
  }
}

function readEntries(text: string, taken: readonly string[]): ProviderEntry[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new Error(`it is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) throw new Error(parsed.error.issues.map(({ path, message }) => `${placeOf(path, json)}: ${message}`).join("\n"));
  const known = new Set(taken);
  for (const [index, { id }] of parsed.data.providers.entries()) {
    if (known.has(id)) throw new Error(`providers[${index}] "${id}": id: another provider has this name; choose another`);
    known.add(id);
  }
  return parsed.data.providers;
}

/** Like `providers[1] "openrouter": dialect.seed`. */
function placeOf(path: readonly PropertyKey[], json: unknown): string {
  const [list, index, ...field] = path;
  if (list !== "providers" || typeof index !== "number") return path.map(String).join(".") || "the file";
  const entry = (json as { providers: unknown[] }).providers[index];
  const id = typeof entry === "object" && entry !== null && "id" in entry ? ` ${JSON.stringify(entry.id)}` : "";
  return `providers[${index}]${id}: ${field.map(String).join(".") || "entry"}`;
}
