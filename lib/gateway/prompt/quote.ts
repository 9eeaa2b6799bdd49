// The price of a prompt before it is answered: its ceiling, the most that it can cost, is the amount to hold. When an input turns out to be
// above its bound, its model is bounded by bytes from then on.

import { AppError } from "@/lib/base/errors";
import { formatUsd, type NanoUsd, nanoUsd } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { runAtOnce, runInSlices, type Slices } from "@/lib/base/slices";
import { listSettings, writeSetting } from "@/lib/db/settings";
import { listModels, priceVersion } from "@/lib/providers/catalogue";
import { type CacheLifetime, isPlain, toolCallsOf } from "@/lib/providers/conversation/messages";
import { formatOf } from "@/lib/providers/endpoints";
import { imagesBound } from "@/lib/providers/image-bound/bound";
import type { WireFormatId } from "@/lib/providers/model-route";
import { affordableOutput, type CacheWrites, ceilingOf } from "@/lib/providers/prices";
import { inputBoundInSlices } from "@/lib/providers/token-bound";
import type { Model } from "@/lib/providers/types";
import { invalidRequest } from "../http/request";
import { refuseOverlong } from "./context-overflow";
import type { Prompt } from "./prompt-body";

export interface Quote {
  model: Model;
  priceVersion: string;
  /** Upper bound of the input's tokens. */
  inputBound: number;
  /** The dearest cache write that it can meet. */
  cacheWrites: CacheWrites;
  /** Images may have a price of their own. */
  hasImages?: boolean;
  /** The output limit that it prices: the prompt's, or a lower one. */
  maxOutputTokens: number;
  /** The most that the answer can cost. */
  ceiling: NanoUsd;
}

/**
 * Prices a prompt, whose input was bounded before where it may be long. A prompt that may be clipped has its output limit lowered until its
 * own maxCost allows it.
 * @throws AppError INVALID_REQUEST when the ceiling is above the request's own maxCost
 */
export function quotePrompt(prompt: Prompt, inputBound = runAtOnce(boundInSlices(prompt))): Quote {
  const { model } = prompt;
  const quote = quoteOutput(
    {
      model,
      priceVersion: factsOf(model).priceVersion,
      inputBound,
      cacheWrites: cacheWritesOf(prompt),
      hasImages: imageBound(prompt) > 0,
    },
    prompt.maxOutputTokens,
  );
  const { ceiling } = quote;
  if (prompt.maxCost === undefined || ceiling <= prompt.maxCost) return quote;
  const clipped = clipQuote(quote, prompt.maxCost, prompt.minOutputTokens);
  if (clipped) return clipped;
  const cure = prompt.maxOutputTokens > 0 ? "lower maxTokens" : "send less";
  const message = `is ${formatUsd(prompt.maxCost)}, but this request may cost up to ${formatUsd(ceiling)}; raise it, or ${cure}`;
  throw invalidRequest([{ path: "maxCost", message }], "max_cost_exceeded");
}

/**
 * Prices a prompt that may fit into its model's window: no promise for a short one.
 * @throws AppError INVALID_REQUEST when it certainly does not fit, or its ceiling is above its own maxCost
 */
export const quoteFitting = (prompt: Prompt): Quote | Promise<Quote> => runInSlices(quoteFittingInSlices(prompt));

function* quoteFittingInSlices(prompt: Prompt): Slices<Quote> {
  const inputBound = yield* boundInSlices(prompt);
  // The bound stops at the window: there the input may be longer.
  if (inputBound + prompt.maxOutputTokens > prompt.model.contextWindow) yield* refuseOverlong(prompt);
  return quotePrompt(prompt, inputBound);
}

/** One character to the cheapest model, and one token back. */
export function smallestPrompt(): Prompt {
  const [model, ...others] = listModels();
  if (!model) throw new Error("assertion failed: there are no models");
  const cheapest = others.reduce((least, other) => (other.prices[0].output < least.prices[0].output ? other : least), model);
  return {
    model: cheapest,
    messages: [{ role: "user", content: "a" }],
    inputField: "prompt",
    maxOutputTokens: 1,
    options: {},
    stream: false,
    maxCost: undefined,
  };
}

/** The quote of the same input with this output limit. */
export function quoteOutput(
  { model, priceVersion, inputBound, cacheWrites, hasImages = false }: Omit<Quote, "maxOutputTokens" | "ceiling">,
  maxOutputTokens: number,
): Quote {
  const outputBound = maxOutputTokens + model.reasoningCeiling;
  const ceiling = ceilingOf(model.prices, { inputBound, outputBound, cacheWrites, hasImages });
  return { model, priceVersion, inputBound, cacheWrites, hasImages, maxOutputTokens, ceiling };
}

/** The quote with its output limit lowered until this much money pays for it; null when that is below `minOutputTokens`, or without it. */
export function clipQuote(quote: Quote, money: NanoUsd, minOutputTokens: number | undefined): Quote | null {
  const limit = Math.min(quote.maxOutputTokens, affordableMaxTokens(money, quote));
  return minOutputTokens === undefined || limit < minOutputTokens ? null : quoteOutput(quote, limit);
}

/**
 * The dearest cache write that a call can be billed for by any of its model's routes. Anthropic writes only marked parts. OpenAI writes by
 * itself unless it is asked not to; nothing is assumed of other providers.
 */
function cacheWritesOf(prompt: Prompt): CacheWrites {
  const { formats } = factsOf(prompt.model);
  let dearest: CacheWrites = "none";
  for (const [index, { provider }] of prompt.model.routes.entries()) {
    const isMarkedOnly = formats[index] === "anthropic";
    const writes = isMarkedOnly ? markedWrites(prompt) : provider !== "openai" || prompt.options.caching !== "off" ? "minutes" : "none";
    if (writes === "hours") return writes;
    if (writes === "minutes") dearest = writes;
  }
  return dearest;
}

/** The writes that the marks of messages and tools ask for. */
function markedWrites({ messages, options: { tools } }: Prompt): CacheWrites {
  let marked: CacheWrites = "none";
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const calls = toolCallsOf(messages);
  for (const { cache } of [...parts, ...calls, ...(tools ?? [])] as readonly { cache?: CacheLifetime | undefined }[]) {
    if (cache === "1h") return "hours";
    if (cache) marked = "minutes";
  }
  return marked;
}

/** The most tokens that the input of a prompt can be: no promise for a short one. */
export const boundInput = (prompt: Prompt): number | Promise<number> => runInSlices(boundInSlices(prompt));

/**
 * No prompt that the model accepts is longer than its context window. Images are beyond it: some models bill more tokens for one than they
 * read (gpt-4o-mini thirty times as many).
 */
function* boundInSlices({ model, messages, options }: Prompt): Slices<number> {
  const call = { messages, tools: options.tools, responseFormat: options.responseFormat, formats: factsOf(model).formats };
  const bound = yield* inputBoundInSlices(call, needsByteBound(model.id) ? "bytes" : model.tokenBound, model.contextWindow);
  return Math.min(bound, model.contextWindow) + imageBound({ model, messages });
}

/** The most tokens that the images of a prompt can be; 0 without any. */
export const imageBound = ({ model, messages }: Pick<Prompt, "model" | "messages">): number =>
  isPlain(messages) ? 0 : imagesBound(messages, model);

interface ModelFacts {
  priceVersion: string;
  /** Of each route, in their order. */
  formats: readonly WireFormatId[];
}

const modelFacts = processSingleton("facts of models", () => new WeakMap<Model, ModelFacts>());

/** Worked out once per model: the same model object always has the same prices and routes. */
function factsOf(model: Model): ModelFacts {
  const known = modelFacts();
  let facts = known.get(model);
  if (!facts) {
    facts = { priceVersion: priceVersion(model), formats: model.routes.map(formatOf) };
    known.set(model, facts);
  }
  return facts;
}

/** The largest output limit whose ceiling fits into the available balance; 0 when none does. */
export function affordableMaxTokens(available: NanoUsd, { model, inputBound, cacheWrites, hasImages = false }: Quote): number {
  const affordable = affordableOutput(model.prices, available, { inputBound, cacheWrites, hasImages }) - model.reasoningCeiling;
  return Math.max(0, Math.min(affordable, model.maxOutputTokens));
}

/** The 402 for a balance below the ceiling. */
export function insufficientBalance(available: NanoUsd, quote: Quote, depositUrl: string): AppError {
  const { ceiling } = quote;
  return new AppError("INSUFFICIENT_BALANCE", {
    message: `Insufficient balance: has ${formatUsd(available)}, needs ${formatUsd(ceiling)}`,
    details: {
      currentBalance: available,
      requiredBalance: ceiling,
      deficit: nanoUsd(ceiling - available),
      affordableMaxTokens: affordableMaxTokens(available, quote),
      depositUrl,
    },
  });
}

/** Prefix of the settings through which processes share such models. */
const OVERRUN_PREFIX = "token_bound:";

/** Models whose provider once counted more input tokens than our bound allowed. */
const overrun = processSingleton("overrun models", () => new Set<string>());

/** From an overrun on, in every process, bytes bound the model: no tokenizer makes more than one token per byte. */
export const needsByteBound = (modelId: string): boolean => overrun().has(modelId);

/** Records that a model's bound was too low, beyond this process's lifetime. */
export async function recordInputOverrun(modelId: string): Promise<void> {
  if (overrun().has(modelId)) return;
  overrun().add(modelId);
  log().error(
    { model: modelId },
    "input tokens exceeded their bound: the operator bore the difference, and bytes bound this model from now on",
  );
  try {
    await writeSetting(OVERRUN_PREFIX + modelId, "bytes");
  } catch (error) {
    // The answer is charged by now and must reach its caller; this process knows the overrun, others learn it at their next one.
    log().error({ err: error, model: modelId }, "the overrun could not be recorded for other processes");
  }
}

/** Loads the overruns of other and earlier processes. Runs at startup and then as a job. */
export async function loadOverruns(): Promise<void> {
  for (const { name } of await listSettings(OVERRUN_PREFIX)) overrun().add(name.slice(OVERRUN_PREFIX.length));
}
