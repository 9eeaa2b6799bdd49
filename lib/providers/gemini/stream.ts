// A streamed generateContent answer. No event marks its end: the stream ends after a chunk with a finish reason. Every chunk may
// report usage; the last report counts.

import { readServerSentEvents } from "../answer/sse";
import type { OnRequestId, OnUsage, ProviderEvent } from "../types";
import { malformed } from "../wire-value";
import {
  type GeminiUsage,
  geminiBlocked,
  geminiOutput,
  isGeminiPromptBlocked,
  readGeminiAnswer,
  readGeminiFinishReason,
  readGeminiUsage,
} from "./reply";

/** @throws ProviderFailure malformed, or the kind of an error inside the stream (unavailable where it names none) */
export async function* readGeminiStream(
  chunks: AsyncIterable<Uint8Array>,
  onRequestId?: OnRequestId,
  onUsage?: OnUsage,
): AsyncGenerator<ProviderEvent> {
  let finishReason: string | undefined;
  let usage: GeminiUsage | null | undefined;
  let isBlocked = false;
  let callCount = 0;
  for await (const events of readServerSentEvents(chunks)) {
    for (const data of events) {
      // Proxies end a stream as OpenAI does.
      if (data === "" || data === "[DONE]") continue;
      const answer = readGeminiAnswer(data, "unavailable");
      onRequestId?.(answer.responseId);
      if (answer.usageMetadata) {
        usage = answer.usageMetadata;
        const counted = readGeminiUsage(usage);
        if (counted) onUsage?.(counted);
      }
      isBlocked ||= isGeminiPromptBlocked(answer);
      if (isBlocked) continue;
      for (const event of geminiOutput(answer, callCount)) {
        if (event.type === "tool_call") callCount += 1;
        yield event;
      }
      finishReason = answer.candidates?.[0]?.finishReason || finishReason;
    }
  }
  if (!isBlocked && finishReason === undefined) throw malformed("the stream broke off before the answer ended");
  if (isBlocked) yield geminiBlocked(readGeminiUsage(usage));
  else yield { type: "finish", reason: readGeminiFinishReason(finishReason, callCount > 0), usage: readGeminiUsage(usage) };
}
