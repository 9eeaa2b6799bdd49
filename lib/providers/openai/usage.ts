// Token counts of chat completions. OpenAI and DeepSeek count reasoning inside completion_tokens, xAI beside it; the
// reply's own total says which, so the rule also holds for servers that are not known by name.

import { z } from "zod";
import type { TokenUsage } from "../types";
import { closeUsage, tokenCountSchema } from "../wire-value";

export const openaiUsageSchema = z.object({
  prompt_tokens: tokenCountSchema,
  completion_tokens: tokenCountSchema,
  total_tokens: tokenCountSchema,
  prompt_tokens_details: z.object({ cached_tokens: tokenCountSchema }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: tokenCountSchema }).nullish(),
  prompt_cache_hit_tokens: tokenCountSchema,
});

type OpenAIUsage = z.infer<typeof openaiUsageSchema>;

/** Null when the provider left out either of the two counts that are charged. */
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
