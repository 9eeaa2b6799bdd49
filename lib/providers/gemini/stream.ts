// A streamed answer of generateContent. No event marks its end: the stream ends after a chunk with a finish reason, and
// usage, which may be told with every chunk, counts as it was told last.

import { readServerSentEvents } from "../sse";
import type { OnRequestId, ProviderEvent } from "../types";
import { malformed } from "../wire-value";
import { type GeminiUsage, geminiOutput, isGeminiPromptBlocked, readGeminiAnswer, readGeminiFinishReason, readGeminiUsage } from "./reply";

/** @throws ProviderFailure malformed, or what an error inside the stream says (unavailable where it does not say) */
export async function* readGeminiStream(chunks: AsyncIterable<Uint8Array>, onRequestId?: OnRequestId): AsyncGenerator<ProviderEvent> {
  let finishReason: string | undefined;
  let usage: GeminiUsage | null | undefined;
  let isBlocked = false;
  let callCount = 0;
  for await (const events of readServerSentEvents(chunks)) {
    for (const data of events) {
      if (data === "") continue;
      const answer = readGeminiAnswer(data, "unavailable");
      onRequestId?.(answer.responseId);
      usage = answer.usageMetadata ?? usage;
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
  const reason = isBlocked ? "content_filter" : readGeminiFinishReason(finishReason, callCount > 0);
  yield { type: "finish", reason, usage: readGeminiUsage(usage) };
}
