// Token counts of Anthropic's messages: input_tokens leaves out what was read from or written to the cache, so the input
// is the sum of three (https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching). Thinking is inside output_tokens.

import { z } from "zod";
import type { TokenUsage } from "../types";
import { closeUsage, tokenCountSchema } from "../wire-value";

export const anthropicUsageSchema = z.object({
  input_tokens: tokenCountSchema,
  output_tokens: tokenCountSchema,
  cache_read_input_tokens: tokenCountSchema,
  cache_creation_input_tokens: tokenCountSchema,
  output_tokens_details: z.object({ thinking_tokens: tokenCountSchema }).nullish(),
});

export type AnthropicUsage = z.infer<typeof anthropicUsageSchema>;

/** Null when the provider left out either of the two counts that are charged. */
export function readAnthropicUsage(usage: AnthropicUsage | null | undefined): TokenUsage | null {
  const input = usage?.input_tokens;
  const output = usage?.output_tokens;
  if (!usage || typeof input !== "number" || typeof output !== "number") return null;
  const cachedInputTokens = usage.cache_read_input_tokens ?? 0;
  return closeUsage({
    inputTokens: input + cachedInputTokens + (usage.cache_creation_input_tokens ?? 0),
    outputTokens: output,
    cachedInputTokens,
    reasoningTokens: usage.output_tokens_details?.thinking_tokens ?? 0,
  });
}

/** Counts in a stream are cumulative: a later one replaces an earlier one, and what a later event leaves out stays. */
export function mergeAnthropicUsage(earlier: AnthropicUsage | null | undefined, later: AnthropicUsage | null | undefined): AnthropicUsage {
  return {
    input_tokens: later?.input_tokens ?? earlier?.input_tokens,
    output_tokens: later?.output_tokens ?? earlier?.output_tokens,
    cache_read_input_tokens: later?.cache_read_input_tokens ?? earlier?.cache_read_input_tokens,
    cache_creation_input_tokens: later?.cache_creation_input_tokens ?? earlier?.cache_creation_input_tokens,
    output_tokens_details: later?.output_tokens_details ?? earlier?.output_tokens_details,
  };
}
