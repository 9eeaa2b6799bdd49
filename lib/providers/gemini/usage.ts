// Token counts of Gemini: thoughts are counted beside the candidates, results of tools beside the prompt, cached content
// inside the prompt (https://ai.google.dev/api/generate-content#UsageMetadata). Counts of zero are left out by proto3 JSON.

import { z } from "zod";
import type { TokenUsage } from "../types";
import { closeUsage, tokenCountSchema } from "../wire-value";

export const geminiUsageSchema = z.object({
  promptTokenCount: tokenCountSchema,
  candidatesTokenCount: tokenCountSchema,
  thoughtsTokenCount: tokenCountSchema,
  cachedContentTokenCount: tokenCountSchema,
  toolUsePromptTokenCount: tokenCountSchema,
});

export type GeminiUsage = z.infer<typeof geminiUsageSchema>;

/** Null when the provider left out the count of the prompt, which is never zero. */
export function readGeminiUsage(usage: GeminiUsage | null | undefined): TokenUsage | null {
  if (typeof usage?.promptTokenCount !== "number") return null;
  const reasoningTokens = usage.thoughtsTokenCount ?? 0;
  return closeUsage({
    inputTokens: usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0),
    outputTokens: (usage.candidatesTokenCount ?? 0) + reasoningTokens,
    cachedInputTokens: usage.cachedContentTokenCount ?? 0,
    reasoningTokens,
  });
}
