// An answer of generateContent, whole or one chunk of a stream: both have one form. Function calls belong here once they exist.

import { z } from "zod";
import { failureInside } from "../http-failure";
import type { FinishReason, ProviderEvent, ProviderFailureKind } from "../types";
import { isRecord, malformed, parseJson, readShape } from "../wire-value";
import { readGeminiProblem } from "./errors";
import { geminiUsageSchema, readGeminiUsage } from "./usage";

const partSchema = z.object({ text: z.string().nullish(), thought: z.boolean().nullish() });

const answerSchema = z.object({
  candidates: z
    .array(z.object({ content: z.object({ parts: z.array(partSchema).nullish() }).nullish(), finishReason: z.string().nullish() }))
    .nullish(),
  promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: geminiUsageSchema.nullish(),
});

export type GeminiAnswer = z.infer<typeof answerSchema>;

/** @throws ProviderFailure malformed, or what the error inside a 200 says (rejected where it does not say) */
export function readGeminiReply(body: string): ProviderEvent[] {
  const answer = readGeminiAnswer(body, "rejected");
  const usage = readGeminiUsage(answer.usageMetadata);
  if (isGeminiPromptBlocked(answer)) return [{ type: "finish", reason: "content_filter", usage }];
  const candidate = answer.candidates?.[0];
  if (candidate === undefined) throw malformed("the reply has no candidate");
  const text = geminiText(answer);
  const finish: ProviderEvent = { type: "finish", reason: readGeminiFinishReason(candidate.finishReason), usage };
  return text === "" ? [finish] : [{ type: "text", text }, finish];
}

/** Reads one answer or chunk; `fallback` is the kind of an error inside it that does not say what it is. */
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

/** Thoughts are paid for and are not part of the answer. */
export function geminiText(answer: GeminiAnswer): string {
  let text = "";
  for (const part of answer.candidates?.[0]?.content?.parts ?? []) {
    if (part.thought !== true) text += part.text ?? "";
  }
  return text;
}

/** https://ai.google.dev/api/generate-content#FinishReason */
export function readGeminiFinishReason(reason: string | null | undefined): FinishReason {
  switch (reason) {
    case "STOP":
      return "stop";
    case "MAX_TOKENS":
    // The cap of one request was reached before ours: the rest would have to be asked for with a token.
    case "CONTINUATION":
      return "length";
    case "SAFETY":
    case "RECITATION":
    case "BLOCKLIST":
    case "PROHIBITED_CONTENT":
    case "SPII":
    case "IMAGE_SAFETY":
      return "content_filter";
    default:
      return "other";
  }
}
