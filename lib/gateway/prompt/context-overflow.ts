// A prompt that its model cannot hold: one error, whose numbers each dialect puts into the words that its clients know, since agents shorten
// their conversation by themselves when they read them. Raised for a provider's refusal, and before any call where it is certain.

import { AppError } from "@/lib/base/errors";
import type { Slices } from "@/lib/base/slices";
import { wireFormatOf } from "@/lib/providers/call";
import { type ChatMessage, contentText } from "@/lib/providers/conversation/messages";
import { endpoints } from "@/lib/providers/endpoints";
import type { Overflow } from "@/lib/providers/refusal/overflow";
import type { Model } from "@/lib/providers/types";
import { leastTokens } from "./least-tokens";

interface Where {
  model: Model;
  /** The field of the body that the prompt came from. */
  inputField: string;
}

const reasons = { tokens: "context_length_exceeded", bytes: "request_too_large" } as const;

/** INVALID_REQUEST with `details.reason`, and the numbers as far as they are known. */
export function contextOverflow({ model, inputField }: Where, overflow: Overflow, context: AppError["context"] = {}): AppError {
  const message = `is too long${overflowText(model, overflow)}`;
  return new AppError("INVALID_REQUEST", {
    message: `${inputField} ${message}`,
    details: {
      issues: [{ path: inputField, message }],
      reason: reasons[overflow.unit],
      inputTokens: overflow.given,
      outputTokens: overflow.output,
      contextWindow: overflow.limit,
    },
    context,
  });
}

function overflowText({ id }: Model, { unit, given, output, limit }: Overflow): string {
  if (unit === "bytes") return `: the provider of ${id} does not accept requests of this size`;
  if (limit === undefined) return ` for the context window of ${id}`;
  if (given === undefined) return `: ${id} accepts at most ${limit} tokens`;
  return output === undefined ? `: ${given} tokens > ${limit} maximum` : `: ${given} tokens and ${output} of output > ${limit} maximum`;
}

/** The facts of such an error; null for any other. */
export function readOverflow({ details }: AppError): Overflow | null {
  const unit = details.reason === reasons.tokens ? "tokens" : details.reason === reasons.bytes ? "bytes" : null;
  const { inputTokens, outputTokens, contextWindow } = details as Partial<Record<string, number>>;
  return unit && { unit, given: inputTokens, output: outputTokens, limit: contextWindow };
}

interface LongPrompt extends Where {
  messages: readonly ChatMessage[];
  maxOutputTokens: number;
  minOutputTokens?: number | undefined;
}

/**
 * Refuses a prompt that certainly does not fit, by any tokenizer's count. The provider decides on a prompt that may fit.
 * @throws AppError INVALID_REQUEST
 */
export function* refuseOverlong(prompt: LongPrompt): Slices<void> {
  const { contextWindow } = prompt.model;
  const least = yield* countLeast(prompt.messages);
  const known = { unit: "tokens", given: least, limit: contextWindow } as const;
  if (least > contextWindow) throw contextOverflow(prompt, known);
  const output = isOutputCounted(prompt) ? prompt.maxOutputTokens : 0;
  if (least + output > contextWindow) throw contextOverflow(prompt, { ...known, output });
}

/**
 * "However, you requested 8200 tokens (200 in the messages, 8000 in the completion)": chat completions of OpenAI and DeepSeek. Others take any
 * output limit and stop at the window. A limit that may be lowered is not held against the prompt.
 */
function isOutputCounted({ model, maxOutputTokens, minOutputTokens }: LongPrompt): boolean {
  if (minOutputTokens !== undefined) return false;
  return model.routes.every((route) => {
    const endpoint = endpoints().get(route.provider);
    const isKnown = route.provider === "openai" || route.provider === "deepseek";
    return isKnown && endpoint !== undefined && wireFormatOf(route, endpoint, maxOutputTokens) === "openai";
  });
}

const CHARACTERS_PER_STEP = 16_384;

/** Fewer tokens than any tokenizer makes of the texts. */
function* countLeast(messages: readonly ChatMessage[]): Slices<number> {
  let tokens = 0;
  for (const { content } of messages) {
    const text = contentText(content);
    for (let at = 0; at < text.length; at += CHARACTERS_PER_STEP) {
      // A word may go on in the next piece.
      tokens += Math.max(0, leastTokens(text.slice(at, at + CHARACTERS_PER_STEP)) - (at > 0 ? 1 : 0));
      yield;
    }
  }
  return tokens;
}
