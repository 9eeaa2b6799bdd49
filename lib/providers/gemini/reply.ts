// A generateContent answer, whole or one chunk of a stream: both have the same shape. A function call is one part, never split.

import { z } from "zod";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import { readFinishReason } from "../answer/finish";
import { failureInside } from "../http-failure";
import type { FinishReason, OnRequestId, ProviderEvent, ProviderFailureKind, TokenUsage } from "../types";
import { closeUsage, isRecord, malformed, parseJson, readShape, tokenCountSchema } from "../wire-value";
import { isSinceGemini3, joinCallId, ownName } from "./call-id";
import { readGeminiProblem } from "./errors";

const byModalitySchema = z.array(z.object({ modality: z.string().nullish(), tokenCount: tokenCountSchema })).nullish();

const geminiUsageSchema = z.looseObject({
  promptTokenCount: tokenCountSchema,
  candidatesTokenCount: tokenCountSchema,
  thoughtsTokenCount: tokenCountSchema,
  cachedContentTokenCount: tokenCountSchema,
  toolUsePromptTokenCount: tokenCountSchema,
  promptTokensDetails: byModalitySchema,
  cacheTokensDetails: byModalitySchema,
});

export type GeminiUsage = z.infer<typeof geminiUsageSchema>;

const functionCallSchema = z.object({
  id: z.string().nullish(),
  name: z.string().min(1),
  args: z.custom<Record<string, unknown>>(isRecord).nullish(),
});

const partSchema = z.object({
  text: z.string().nullish(),
  thought: z.boolean().nullish(),
  functionCall: functionCallSchema.nullish(),
  thoughtSignature: z.string().nullish(),
});

const answerSchema = z.object({
  candidates: z
    .array(z.object({ content: z.object({ parts: z.array(partSchema).nullish() }).nullish(), finishReason: z.string().nullish() }))
    .nullish(),
  promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: geminiUsageSchema.nullish(),
  modelVersion: z.string().nullish(),
  responseId: z.unknown().optional(),
});

type GeminiAnswer = z.infer<typeof answerSchema>;

/** @throws ProviderFailure malformed, or the kind of the error inside a 200 (rejected where it names none) */
export function readGeminiReply(body: string, onRequestId?: OnRequestId): ProviderEvent[] {
  const answer = readGeminiAnswer(body, "rejected");
  onRequestId?.(answer.responseId);
  const usage = readGeminiUsage(answer.usageMetadata);
  if (isGeminiPromptBlocked(answer)) return [geminiBlocked(usage)];
  const candidate = answer.candidates?.[0];
  if (candidate === undefined) throw malformed("the reply has no candidate");
  const output = geminiOutput(answer, 0);
  const hasCalls = output.some(({ type }) => type === "tool_call");
  return [...output, { type: "finish", reason: readGeminiFinishReason(candidate.finishReason, hasCalls), usage }];
}

/** Reads one answer or chunk; `fallback` is the kind of an error inside it that does not name its own. */
export function readGeminiAnswer(data: string, fallback: ProviderFailureKind): GeminiAnswer {
  const parsed = parseJson(data, "the answer");
  if (isRecord(parsed) && parsed.error) throw failureInside(readGeminiProblem(parsed), fallback);
  return readShape(answerSchema, parsed, "the answer");
}

/** True when the prompt itself was refused: then there is no candidate. */
export function isGeminiPromptBlocked(answer: GeminiAnswer): boolean {
  const reason = answer.promptFeedback?.blockReason;
  return typeof reason === "string" && reason !== "" && reason !== "BLOCK_REASON_UNSPECIFIED";
}

/** A prompt that Model Armor blocks has no count, and no model has read it: pydantic-ai recorded such an answer of Vertex AI. */
export const geminiBlocked = (usage: TokenUsage | null): ProviderEvent => ({
  type: "finish",
  reason: "content_filter",
  usage: usage ?? noTokens,
});

/**
 * The text and the calls of an answer or chunk; `firstIndex` is the number of calls in the chunks before. Thoughts are billed
 * and are not part of the answer.
 */
export function geminiOutput({ candidates, modelVersion }: GeminiAnswer, firstIndex: number): ProviderEvent[] {
  const isSigned = modelVersion ? isSinceGemini3(modelVersion) : true;
  let text = "";
  const calls: ProviderEvent[] = [];
  for (const { functionCall, thoughtSignature, ...part } of candidates?.[0]?.content?.parts ?? []) {
    if (functionCall) {
      const id = joinCallId(functionCall.id, isSigned ? thoughtSignature : undefined);
      const index = firstIndex + calls.length;
      calls.push({ type: "tool_call", index, id, name: ownName(functionCall.name), arguments: JSON.stringify(functionCall.args ?? {}) });
    } else if (part.thought !== true) {
      text += part.text ?? "";
    }
  }
  return text === "" ? calls : [{ type: "text", text }, ...calls];
}

/**
 * https://ai.google.dev/api/generate-content#FinishReason. Calls end with STOP, as text does. A call that went wrong
 * (MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, TOO_MANY_TOOL_CALLS …) is not in the answer: an agent that is told `stop` ends its work
 * there, so it is told to ask again, as the AI SDK (finish reason `error`) and the Gemini CLI (a retry) do. Where other calls are in the
 * answer, it goes on with those.
 * @throws ProviderFailure malformed
 */
export function readGeminiFinishReason(reason: string | null | undefined, hasCalls: boolean): FinishReason {
  switch (reason) {
    case "STOP":
      return hasCalls ? "tool_calls" : "stop";
    case "MAX_TOKENS":
    // Google's own limit per request came before ours: the rest would need a request with a continuation token.
    case "CONTINUATION":
      return "length";
    case "SAFETY":
    case "RECITATION":
    case "BLOCKLIST":
    case "PROHIBITED_CONTENT":
    case "SPII":
    case "IMAGE_SAFETY":
    case "IMAGE_PROHIBITED_CONTENT":
    case "IMAGE_RECITATION":
    case "MODEL_ARMOR":
      return "content_filter";
    default:
      return hasCalls ? "other" : readFinishReason(reason);
  }
}

/**
 * The candidates' count excludes thoughts, the prompt's excludes tool results and includes cached content
 * (https://ai.google.dev/api/generate-content#UsageMetadata). proto3 JSON omits counts of zero. Null when the provider omitted the
 * count of the prompt, which is never zero.
 */
export function readGeminiUsage(usage: GeminiUsage | null | undefined): TokenUsage | null {
  if (typeof usage?.promptTokenCount !== "number") return null;
  const reasoningTokens = usage.thoughtsTokenCount ?? 0;
  return closeUsage(
    {
      inputTokens: usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0),
      outputTokens: (usage.candidatesTokenCount ?? 0) + reasoningTokens,
      cachedInputTokens: usage.cachedContentTokenCount ?? 0,
      // The prompt's include those that were read from the cache.
      imageTokens: Math.max(0, imageTokensIn(usage.promptTokensDetails) - imageTokensIn(usage.cacheTokensDetails)),
      reasoningTokens,
    },
    usage,
  );
}

const imageTokensIn = (details: GeminiUsage["promptTokensDetails"]): number =>
  (details ?? []).reduce((sum, { modality, tokenCount }) => sum + (modality === "IMAGE" ? (tokenCount ?? 0) : 0), 0);
