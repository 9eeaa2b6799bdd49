// A whole chat completion, and what its parts mean, in a stream as well: text, tool calls, finish reason and token counts.

import { z } from "zod";
import { randomBase62 } from "@/lib/base/ids";
import { failureInside } from "../http-failure";
import { type FinishReason, type OnRequestId, type ProviderEvent, ProviderFailure, type TokenUsage, type ToolCallEvent } from "../types";
import { checkServiceTier, closeUsage, isRecord, malformed, parseJson, readShape, tokenCountSchema } from "../wire-value";
import { readOpenAIProblem } from "./errors";

/** One entry of `tool_calls`, whole or a piece. Entries of other types than `function` have fields of their own. */
const openaiToolCallSchema = z.object({
  index: z.number().int().nullish(),
  id: z.string().nullish(),
  type: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

export type ToolCallPiece = z.infer<typeof openaiToolCallSchema>;

export const openaiUsageSchema = z.object({
  prompt_tokens: tokenCountSchema,
  completion_tokens: tokenCountSchema,
  total_tokens: tokenCountSchema,
  prompt_tokens_details: z
    .object({ cached_tokens: tokenCountSchema, cache_write_tokens: tokenCountSchema, image_tokens: tokenCountSchema })
    .nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: tokenCountSchema }).nullish(),
  prompt_cache_hit_tokens: tokenCountSchema,
});

type OpenAIUsage = z.infer<typeof openaiUsageSchema>;

/**
 * A message, or the delta of one. `reasoning_content` is omitted on purpose: it is billed, and not part of the answer.
 * So is the older `function_call`, which answers a request that we never make.
 */
export const openaiMessageSchema = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(openaiToolCallSchema).nullish(),
});

const replySchema = z.object({
  id: z.unknown().optional(),
  choices: z.tuple([z.object({ message: openaiMessageSchema, finish_reason: z.string().nullish() })], z.unknown()),
  usage: openaiUsageSchema.nullish(),
  service_tier: z.unknown().optional(),
});

/** @throws ProviderFailure malformed, or the kind of the error inside a 200 (rejected where it names none) */
export function readOpenAIReply(body: string, onRequestId?: OnRequestId): ProviderEvent[] {
  const parsed = parseJson(body, "the reply");
  if (isRecord(parsed) && parsed.error) throw failureInside(readOpenAIProblem(parsed), "rejected");
  const { id, choices, usage, service_tier } = readShape(replySchema, parsed, "the reply");
  onRequestId?.(id);
  checkServiceTier(service_tier);
  const { message, finish_reason } = choices[0];
  const reason = readOpenAIFinishReason(finish_reason, Boolean(message.refusal));
  const text = openaiText(message);
  const events: ProviderEvent[] = text === "" ? [] : [{ type: "text", text }];
  events.push(...readOpenAIToolCalls(message.tool_calls ?? []), { type: "finish", reason, usage: readOpenAIUsage(usage) });
  return events;
}

/** What the customer reads. A refusal has its own field; its text is the answer, and it is charged. */
export function openaiText(message: z.infer<typeof openaiMessageSchema>): string {
  return `${message.content ?? ""}${message.refusal ?? ""}`;
}

/** @throws ProviderFailure unavailable, when the provider reports that it stopped for lack of resources */
export function readOpenAIFinishReason(reason: string | null | undefined, isRefused: boolean): FinishReason {
  switch (reason) {
    case "stop":
      // OpenAI reports a refusal as a complete answer.
      return isRefused ? "content_filter" : "stop";
    case "length":
    case "content_filter":
    case "tool_calls":
      return reason;
    case "function_call":
      // The name from before there were several calls.
      return "tool_calls";
    case "insufficient_system_resource":
      // DeepSeek broke the answer off: half of it must not pass as the whole.
      throw new ProviderFailure("unavailable", "the provider broke off: insufficient_system_resource", { accepted: true });
    default:
      return "other";
  }
}

/** @throws ProviderFailure malformed, when a call does not name its function */
function readOpenAIToolCalls(calls: readonly ToolCallPiece[]): ToolCallEvent[] {
  return calls.filter(isFunctionCall).map((call, index) => firstPiece(call, index));
}

/** Entries of other types than `function` are ignored. */
export function isFunctionCall({ type }: ToolCallPiece): boolean {
  return !type || type === "function";
}

/** The first piece of a call, or the whole of it. @throws ProviderFailure malformed, when it does not name its function */
export function firstPiece({ id, function: called }: ToolCallPiece, index: number): ToolCallEvent {
  if (!called?.name) throw malformed("a tool call without the name of its function");
  return { type: "tool_call", index, id: id || `call_${randomBase62(24)}`, name: called.name, arguments: called.arguments ?? "" };
}

/**
 * OpenAI and DeepSeek count reasoning inside completion_tokens, xAI beside it. The reply's own total decides, so the rule also holds
 * for unknown servers. Null when the provider omitted either of the two counts that are charged.
 */
export function readOpenAIUsage(usage: OpenAIUsage | null | undefined): TokenUsage | null {
  const prompt = usage?.prompt_tokens;
  const completion = usage?.completion_tokens;
  if (!usage || typeof prompt !== "number" || typeof completion !== "number") return null;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  // DeepSeek's own field; prompt_tokens = hit + miss (https://api-docs.deepseek.com/guides/kv_cache).
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0;
  const total = usage.total_tokens ?? undefined;
  const outputTokens = isReasoningBeside(prompt, completion, reasoning, total) ? completion + reasoning : completion;
  // Seen from xAI: a cached count larger than the prompt, which then does not include it. The total must confirm that.
  const isCachedBeside = cached > prompt && total === prompt + cached + outputTokens;
  return closeUsage({
    inputTokens: isCachedBeside ? prompt + cached : prompt,
    outputTokens,
    cachedInputTokens: cached,
    // Billed in place of plain input: https://developers.openai.com/api/docs/guides/prompt-caching (read 2026-11-26).
    cacheWriteTokens: usage.prompt_tokens_details?.cache_write_tokens ?? 0,
    imageTokens: usage.prompt_tokens_details?.image_tokens ?? 0,
    reasoningTokens: reasoning,
  });
}

/** "Counted separately from completion_tokens, but counted in total_tokens": https://docs.x.ai/docs/key-information/consumption-and-rate-limits */
function isReasoningBeside(prompt: number, completion: number, reasoning: number, total: number | undefined): boolean {
  if (reasoning === 0) return false;
  if (reasoning > completion) return true;
  return total !== undefined && total >= prompt + completion + reasoning;
}
