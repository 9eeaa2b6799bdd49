// The price of a prompt before it is answered: its ceiling, the most it can cost, is what will be held.

import { AppError } from "@/lib/base/errors";
import { formatUsd, type NanoUsd, nanoUsd } from "@/lib/base/money";
import { onceKept } from "@/lib/base/process-singleton";
import { priceVersion } from "@/lib/providers/catalogue";
import { inputBoundForCall } from "@/lib/providers/token-bound";
import type { Model } from "@/lib/providers/types";
import { invalidRequest } from "../http/request";
import { needsByteBound } from "./overrun";
import type { Prompt } from "./prompt-body";

export interface Quote {
  model: Model;
  priceVersion: string;
  /** Upper bound of the input's tokens. */
  inputBound: number;
  /** The most that the answer can cost. */
  ceiling: NanoUsd;
}

/**
 * Prices a prompt.
 * @throws AppError INVALID_REQUEST when the ceiling is above the request's own maxCost
 */
export function quotePrompt(prompt: Prompt): Quote {
  const { model } = prompt;
  const inputBound = boundInput(prompt);
  const outputBound = prompt.maxOutputTokens + model.reasoningCeiling;
  const ceiling = nanoUsd(BigInt(inputBound) * model.inputPrice + BigInt(outputBound) * model.outputPrice);
  if (prompt.maxCost !== undefined && ceiling > prompt.maxCost) {
    const message = `is ${formatUsd(prompt.maxCost)}, but this request may cost up to ${formatUsd(ceiling)}; raise it, or lower maxTokens`;
    throw invalidRequest([{ path: "maxCost", message }], "max_cost_exceeded");
  }
  return { model, priceVersion: priceVersionOf(model), inputBound, ceiling };
}

/** No prompt that the model accepts is longer than its context window. */
function boundInput({ model, messages, options }: Prompt): number {
  const call = { messages, tools: options.tools, responseFormat: options.responseFormat };
  const bound = inputBoundForCall(call, needsByteBound(model.id) ? "bytes" : model.tokenBound);
  return Math.min(bound, model.contextWindow);
}

const priceVersionIds = onceKept("price version ids", () => new WeakMap<Model, string>());

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

/** The largest output limit with which a prompt's ceiling fits into what is available; 0 when none does. */
export function affordableMaxTokens(available: NanoUsd, { model, inputBound }: Quote): number {
  const leftForOutput = available - BigInt(inputBound) * model.inputPrice;
  const affordable = model.outputPrice > 0n ? Number(leftForOutput / model.outputPrice) - model.reasoningCeiling : model.maxOutputTokens;
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
