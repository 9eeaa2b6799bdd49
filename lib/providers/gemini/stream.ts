// A streamed answer of generateContent. No event marks its end: the stream ends after a chunk with a finish reason, and
// usage, which may be told with every chunk, counts as it was told last.

import { readServerSentEvents } from "../sse";
import type { FinishReason, ProviderEvent } from "../types";
import { malformed } from "../wire-value";
import { geminiText, isGeminiPromptBlocked, readGeminiAnswer, readGeminiFinishReason } from "./reply";
import { type GeminiUsage, readGeminiUsage } from "./usage";

/** @throws ProviderFailure malformed, or what an error inside the stream says (unavailable where it does not say) */
export async function* readGeminiStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ProviderEvent> {
  let reason: FinishReason | undefined;
  let usage: GeminiUsage | null | undefined;
  let isBlocked = false;
  for await (const events of readServerSentEvents(chunks)) {
    for (const data of events) {
      if (data === "") continue;
      const answer = readGeminiAnswer(data, "unavailable");
      usage = answer.usageMetadata ?? usage;
      isBlocked ||= isGeminiPromptBlocked(answer);
      if (isBlocked) continue;
      const text = geminiText(answer);
      if (text !== "") yield { type: "text", text };
      const finishReason = answer.candidates?.[0]?.finishReason;
      if (finishReason) reason = readGeminiFinishReason(finishReason);
    }
  }
  if (isBlocked) reason = "content_filter";
  if (reason === undefined) throw malformed("the stream broke off before the answer ended");
  yield { type: "finish", reason, usage: readGeminiUsage(usage) };
}
