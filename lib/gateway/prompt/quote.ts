// The price of a prompt before it is answered: its ceiling, the most that it can cost, is the amount to hold. When an input turns out to be
// above its bound, its model is bounded by bytes from then on.

import { AppError } from "@/lib/base/errors";
import { formatUsd, type NanoUsd, nanoUsd } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { listSettings, writeSetting } from "@/lib/db/settings";
import { priceVersion } from "@/lib/providers/catalogue";
import { inputBoundForCall } from "@/lib/providers/token-bound";
import type { Model } from "@/lib/providers/types";
import { invalidRequest } from "../http/request";
import type { Prompt } from "./prompt-body";

export interface Quote {
  model: Model;
  priceVersion: string;
  /** Upper bound of the input's tokens. */
  inputBound: number;
  /** The output limit that it prices: the prompt's, or a lower one. */
  maxOutputTokens: number;
  /** The most that the answer can cost. */
  ceiling: NanoUsd;
}

/**
 * Prices a prompt. A prompt that may be clipped has its output limit lowered to what its own maxCost allows.
 * @throws AppError INVALID_REQUEST when the ceiling is above the request's own maxCost
 */
export function quotePrompt(prompt: Prompt): Quote {
  const { model } = prompt;
  const quote = quoteOutput({ model, priceVersion: priceVersionOf(model), inputBound: boundInput(prompt) }, prompt.maxOutputTokens);
  const { ceiling } = quote;
  if (prompt.maxCost === undefined || ceiling <= prompt.maxCost) return quote;
  const clipped = clipQuote(quote, prompt.maxCost, prompt.minOutputTokens);
  if (clipped) return clipped;
  const message = `is ${formatUsd(prompt.maxCost)}, but this request may cost up to ${formatUsd(ceiling)}; raise it, or lower maxTokens`;
  throw invalidRequest([{ path: "maxCost", message }], "max_cost_exceeded");
}

/** The quote of the same input with this output limit. */
export function quoteOutput(
  { model, priceVersion, inputBound }: Omit<Quote, "maxOutputTokens" | "ceiling">,
  maxOutputTokens: number,
): Quote {
  const outputBound = maxOutputTokens + model.reasoningCeiling;
  const ceiling = nanoUsd(BigInt(inputBound) * model.inputPrice + BigInt(outputBound) * model.outputPrice);
  return { model, priceVersion, inputBound, maxOutputTokens, ceiling };
}

/** The quote with its output limit lowered to what this much money pays for; null when that is below `minOutputTokens`, or without it. */
export function clipQuote(quote: Quote, money: NanoUsd, minOutputTokens: number | undefined): Quote | null {
  const limit = Math.min(quote.maxOutputTokens, affordableMaxTokens(money, quote));
  return minOutputTokens === undefined || limit < minOutputTokens ? null : quoteOutput(quote, limit);
}

/** No prompt that the model accepts is longer than its context window. */
function boundInput({ model, messages, options }: Prompt): number {
  const call = { messages, tools: options.tools, responseFormat: options.responseFormat };
  const bound = inputBoundForCall(call, needsByteBound(model.id) ? "bytes" : model.tokenBound);
  return Math.min(bound, model.contextWindow);
}

const priceVersionIds = processSingleton("price version ids", () => new WeakMap<Model, string>());

/** Hashed once per model: the same model object always has the same prices. */
function priceVersionOf(model: Model): string {
  const known = priceVersionIds();
  let id = known.get(model);
  if (!id) {
    id = priceVersion(model);
    known.set(model, id);
  }
  return id;
}

/** The largest output limit whose ceiling fits into the available balance; 0 when none does. */
export function affordableMaxTokens(available: NanoUsd, { model, inputBound }: Quote): number {
  const leftForOutput = available - BigInt(inputBound) * model.inputPrice;
  const affordable = model.outputPrice > 0n ? Number(leftForOutput / model.outputPrice) - model.reasoningCeiling : model.maxOutputTokens;
  return Math.max(0, Math.min(affordable, model.maxOutputTokens));
}

/** The 402 for a balance below the ceiling. */
export function insufficientBalance(available: NanoUsd, quote: Quote, depositUrl: string): AppError {
  const { ceiling } = quote;
  return new AppError("INSUFFICIENT_BALANCE", {
    message: `Insufficient balance: ${formatUsd(available)} available, up to ${formatUsd(ceiling)} needed`,
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
