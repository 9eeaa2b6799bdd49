// A whole chat completion, and what its parts mean, in a stream as well: text, tool calls, finish reason and token counts. OpenAI's form, and
// those of compatible servers: Mistral, Groq, Together, OpenRouter, vLLM, SGLang, Ollama and others.

import { z } from "zod";
import { randomBase62 } from "@/lib/base/ids";
import { readFinishReason } from "../answer/finish";
import { failureInside } from "../http-failure";
import type { FinishReason, OnRequestId, ProviderEvent, ProviderFailureKind, TokenUsage, ToolCallEvent } from "../types";
import { checkServiceTier, closeUsage, isRecord, malformed, parseJson, readShape, tokenCountSchema } from "../wire-value";
import { readOpenAIProblem } from "./errors";
import { isFunctionCall, openaiMessageSchema, openaiPieces, readToolCallPiece, type ToolCallPiece } from "./message";
import { Thoughts } from "./reasoning";

/** A value that is no object says nothing. */
const objectOrNothing = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => (isRecord(value) ? value : undefined), z.object(shape).optional()).optional();

const usageSchema = z.object({
  prompt_tokens: tokenCountSchema,
  completion_tokens: tokenCountSchema,
  total_tokens: tokenCountSchema,
  prompt_tokens_details: objectOrNothing({
    cached_tokens: tokenCountSchema,
    cache_write_tokens: tokenCountSchema,
    image_tokens: tokenCountSchema,
  }),
  completion_tokens_details: objectOrNothing({ reasoning_tokens: tokenCountSchema }),
  prompt_cache_hit_tokens: tokenCountSchema,
});

/** We ask for one answer: GitHub Copilot writes each call of a Claude model into a choice of its own (karthink/gptel#1284). */
const otherChoice = z.object({ message: z.object({ tool_calls: openaiMessageSchema.shape.tool_calls }).nullish() });

const replySchema = z.object({
  id: z.unknown().optional(),
  choices: z.tuple([z.object({ message: openaiMessageSchema, finish_reason: z.string().nullish() })], otherChoice),
  usage: z.unknown().optional(),
  service_tier: z.unknown().optional(),
});

/** @throws ProviderFailure malformed, or the kind of the error inside a 200 (rejected where it names none) */
export function readOpenAIReply(body: string, onRequestId?: OnRequestId): ProviderEvent[] {
  const parsed = parseJson(body, "the reply");
  refuseProblem(parsed, "rejected");
  const { id, choices, usage, service_tier } = readShape(replySchema, parsed, "the reply");
  onRequestId?.(id);
  checkServiceTier(service_tier);
  const [{ message, finish_reason }, ...others] = choices;
  const reason = readOpenAIFinishReason(finish_reason, Boolean(message.refusal));
  let thoughts: Thoughts | undefined;
  const events: ProviderEvent[] = [];
  for (const piece of openaiPieces(message)) {
    if (piece.type === "thought") {
      thoughts ??= new Thoughts();
      events.push(...thoughts.add(piece));
    } else events.push(...(thoughts?.close() ?? []), piece);
  }
  if (thoughts) events.push(...thoughts.close());
  const calls = [message, ...others.map((other) => other.message)]
    .flatMap((one) => one?.tool_calls ?? [])
    .filter(isFunctionCall)
    .map(readToolCallPiece);
  events.push(...calls.map((call, index) => wholeCall(call, index, reason)));
  events.push({ type: "finish", reason, usage: readOpenAIUsage(usage) });
  return events;
}

/**
 * Throws where an error takes the place of an answer: `{error}` in any form, `{"object": "error", …}` (vLLM), `{"detail": …}` (FastAPI),
 * `{"message": …}`, and OpenRouter's error inside a choice.
 * @throws ProviderFailure
 */
export function refuseProblem(answer: unknown, fallback: ProviderFailureKind): void {
  if (!isRecord(answer)) return;
  const { error, choices, object, type, detail, message } = answer;
  const isProblem = error || (!choices && (object === "error" || type === "error" || detail || typeof message === "string"));
  if (isProblem) throw failureInside(readOpenAIProblem(answer), fallback);
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (isRecord(choice) && choice.error) throw failureInside(readOpenAIProblem({ error: choice.error }), "unavailable");
}

/** @throws ProviderFailure unavailable, when the provider reports that it broke off */
export function readOpenAIFinishReason(word: string | null | undefined, isRefused: boolean): FinishReason {
  const reason = readFinishReason(word);
  // OpenAI reports a refusal as a complete answer.
  return reason === "stop" && isRefused ? "content_filter" : reason;
}

/** @throws ProviderFailure malformed, when the call does not name its function */
function wholeCall(call: ToolCallPiece, index: number, reason: FinishReason): ToolCallEvent {
  return { ...firstPiece(call, index), arguments: call.arguments || emptyArguments(reason) };
}

/** The first piece of a call, without its arguments. @throws ProviderFailure malformed, when it does not name its function */
export function firstPiece({ id, name }: Pick<ToolCallPiece, "id" | "name">, index: number): ToolCallEvent & { arguments: "" } {
  if (name === "") throw malformed("a tool call without the name of its function");
  return { type: "tool_call", index, id: id ?? `call_${randomBase62(24)}`, name, arguments: "" };
}

/**
 * Servers that call a function without arguments leave them empty, which no client can parse. Arguments of a cut answer stay as they are.
 */
export const emptyArguments = (reason: FinishReason): string => (reason === "length" || reason === "content_filter" ? "" : "{}");

/**
 * OpenAI and DeepSeek count reasoning inside completion_tokens, xAI beside it. The reply's own total decides, so the rule also holds
 * for unknown servers. Null when the provider omitted either of the two counts that are charged, as with `{}` or a text in their place.
 * @throws ProviderFailure malformed, for a count that cannot be one
 */
export function readOpenAIUsage(given: unknown): TokenUsage | null {
  if (!isRecord(given)) return null;
  const usage = readShape(usageSchema, given, "usage");
  const { prompt_tokens: prompt, completion_tokens: completion } = usage;
  if (typeof prompt !== "number" || typeof completion !== "number") return null;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  // DeepSeek's own field; prompt_tokens = hit + miss (https://api-docs.deepseek.com/guides/kv_cache).
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0;
  const total = usage.total_tokens ?? undefined;
  const outputTokens = isReasoningBeside(prompt, completion, reasoning, total) ? completion + reasoning : completion;
  // Seen from xAI: a cached count larger than the prompt, which then does not include it. The total must confirm that.
  const isCachedBeside = cached > prompt && total === prompt + cached + outputTokens;
  return closeUsage(
    {
      inputTokens: isCachedBeside ? prompt + cached : prompt,
      outputTokens,
      cachedInputTokens: cached,
      // Billed in place of plain input: https://developers.openai.com/api/docs/guides/prompt-caching (read 2026-11-26).
      cacheWriteTokens: usage.prompt_tokens_details?.cache_write_tokens ?? 0,
      imageTokens: usage.prompt_tokens_details?.image_tokens ?? 0,
      reasoningTokens: reasoning,
    },
    given,
  );
}

/** "Counted separately from completion_tokens, but counted in total_tokens": https://docs.x.ai/docs/key-information/consumption-and-rate-limits */
function isReasoningBeside(prompt: number, completion: number, reasoning: number, total: number | undefined): boolean {
  if (reasoning === 0) return false;
  if (reasoning > completion) return true;
  return total !== undefined && total >= prompt + completion + reasoning;
}
