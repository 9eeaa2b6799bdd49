// Whether a prompt fits into its model's context window, before it is sent.

import type { ModelPrice } from "@/lib/console/views/models";
import { costOfTokens, countInputBytes, estimateInputTokens } from "./estimate";
import type { RunFields } from "./run";
import type { RunQuote } from "./run-request";

/** No tokenizer in use makes more than a token of two bytes of ordinary text. */
const BYTES_OF_SHORT_TOKENS = 2;
/** The count is an estimate: a model to switch to has this much more space. */
const MARGIN = 1.25;

export interface ContextProblem {
  /** The estimated tokens of the input. */
  tokens: number;
  /** It is longer even by the estimate; otherwise it may be. */
  isCertain: boolean;
  /** It is longer by so much that no count makes it fit: it is not sent. */
  isRefused: boolean;
  /** The cheapest model that reads it; null when none does. */
  alternative: ModelPrice | null;
}

/** Null when the prompt fits. The quote counts input tokens upward, and stops at the context window. */
export function findContextProblem(
  fields: Pick<RunFields, "system" | "prompt" | "sent">,
  model: ModelPrice,
  quote: RunQuote | null,
  models: readonly ModelPrice[],
): ContextProblem | null {
  const tokens = estimateInputTokens(fields);
  const isCertain = tokens > model.contextWindow;
  const isPossible =
    quote !== null && quote.inputTokens >= model.contextWindow && countInputBytes(fields) / BYTES_OF_SHORT_TOKENS > model.contextWindow;
  if (!isCertain && !isPossible) return null;
  return {
    tokens,
    isCertain,
    isRefused: tokens > model.contextWindow * MARGIN,
    alternative: findModelFor(Math.max(tokens, model.contextWindow) * MARGIN, models),
  };
}

function findModelFor(tokens: number, models: readonly ModelPrice[]): ModelPrice | null {
  const cost = ({ inputPrice }: ModelPrice) => costOfTokens(1, inputPrice);
  return models
    .filter(({ contextWindow }) => contextWindow >= tokens)
    .reduce<ModelPrice | null>((best, model) => (best && cost(best) <= cost(model) ? best : model), null);
}
