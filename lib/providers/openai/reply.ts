// A whole chat completion, and what its parts mean to us, in a stream as well: text, tool calls, finish reason and token counts.

import { z } from "zod";
import { randomBase62 } from "@/lib/base/ids";
import { failureInside } from "../http-failure";
import { type FinishReason, type OnRequestId, type ProviderEvent, ProviderFailure, type TokenUsage, type ToolCallEvent } from "../types";
import { closeUsage, isRecord, malformed, parseJson, readShape, tokenCountSchema } from "../wire-value";
import { readOpenAIProblem } from "./errors";

/** One entry of `tool_calls`, whole or a piece. Entries of other types than `function` carry fields of their own. */
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
  prompt_tokens_details: z.object({ cached_tokens: tokenCountSchema }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: tokenCountSchema }).nullish(),
  prompt_cache_hit_tokens: tokenCountSchema,
});

type OpenAIUsage = z.infer<typeof openaiUsageSchema>;

/**
 * A message, or the delta of one. `reasoning_content` is left out on purpose: it is paid for, and not part of the answer.
 * So is the older `function_call`, which answers a request that we do not make.
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
});

/** @throws ProviderFailure malformed, or what the error inside a 200 says (rejected where it does not say) */
export function readOpenAIReply(body: string, onRequestId?: OnRequestId): ProviderEvent[] {
  const parsed = parseJson(body, "the reply");
  if (isRecord(parsed) && parsed.error) throw failureInside(readOpenAIProblem(parsed), "rejected");
  const { id, choices, usage } = readShape(replySchema, parsed, "the reply");
  onRequestId?.(id);
  const { message, finish_reason } = choices[0];
  const reason = readOpenAIFinishReason(finish_reason, Boolean(message.refusal));
  const text = openaiText(message);
  const events: ProviderEvent[] = text === "" ? [] : [{ type: "text", text }];
  events.push(...readOpenAIToolCalls(message.tool_calls ?? []), { type: "finish", reason, usage: readOpenAIUsage(usage) });
  return events;
}

/** What the customer reads. A refusal stands in a field of its own; its words are the answer, and they are charged. */
export function openaiText(message: z.infer<typeof openaiMessageSchema>): string {
  return `${message.content ?? ""}${message.refusal ?? ""}`;
}

/** @throws ProviderFailure unavailable, when the provider says that it stopped for want of machines */
export function readOpenAIFinishReason(reason: string | null | undefined, isRefused: boolean): FinishReason {
  switch (reason) {
    case "stop":
      // OpenAI calls a refusal a complete answer.
      return isRefused ? "content_filter" : "stop";
    case "length":
    case "content_filter":
    case "tool_calls":
      return reason;
    case "function_call":
      // What it was called before there were several.
      return "tool_calls";
    case "insufficient_system_resource":
      // DeepSeek broke the answer off: half of it must not pass for the whole.
      throw new ProviderFailure("unavailable", "the provider broke off: insufficient_system_resource", { accepted: true });
    default:
      return "other";
  }
}

/** @throws ProviderFailure malformed, when a call does not say which function */
function readOpenAIToolCalls(calls: readonly ToolCallPiece[]): ToolCallEvent[] {
  return calls.filter(isFunctionCall).map((call, index) => firstPiece(call, index));
}

/** Entries of other types than `function` are passed over. */
export function isFunctionCall({ type }: ToolCallPiece): boolean {
  return !type || type === "function";
}

/** The first piece of a call, or the whole of it. @throws ProviderFailure malformed, when it does not say which function */
export function firstPiece({ id, function: called }: ToolCallPiece, index: number): ToolCallEvent {
  if (!called?.name) throw malformed("a tool call without the name of its function");
  return { type: "tool_call", index, id: id || `call_${randomBase62(24)}`, name: called.name, arguments: called.arguments ?? "" };
}

/**
 * OpenAI and DeepSeek count reasoning inside completion_tokens, xAI beside it; the reply's own total says which, so the rule also holds for
 * servers that are not known by name. Null when the provider left out either of the two counts that are charged.
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
  // Seen from xAI: a cached part larger than the prompt, in which case it is not part of it. The total must bear that out.
  const isCachedBeside = cached > prompt && total === prompt + cached + outputTokens;
  return closeUsage({
    inputTokens: isCachedBeside ? prompt + cached : prompt,
    outputTokens,
    cachedInputTokens: cached,
    reasoningTokens: reasoning,
  });
}

/** "Counted separately from completion_tokens, but counted in total_tokens": https://docs.x.ai/docs/key-information/consumption-and-rate-limits */
function isReasoningBeside(prompt: number, completion: number, reasoning: number, total: number | undefined): boolean {
  if (reasoning === 0) return false;
  if (reasoning > completion) return true;
  return total !== undefined && total >= prompt + completion + reasoning;
}
