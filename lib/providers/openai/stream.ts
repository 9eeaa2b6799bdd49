// A streamed chat completion. Usage comes with the last chunk, in a chunk of its own without choices, or again and again
// (xAI): the last one counts. The end is `[DONE]`, or the end of the stream after a finish reason.

import { z } from "zod";
import { failureInside } from "../http-failure";
import { readServerSentEvents } from "../sse";
import type { FinishReason, OnRequestId, ProviderEvent } from "../types";
import { isRecord, malformed, parseJson, readShape } from "../wire-value";
import { readOpenAIProblem } from "./errors";
import { openaiMessageSchema, openaiText, readOpenAIFinishReason } from "./reply";
import { ToolCallPieces } from "./tool-calls";
import { openaiUsageSchema, readOpenAIUsage } from "./usage";

const chunkSchema = z.object({
  id: z.unknown().optional(),
  // vLLM sends its closing usage with `choices: null`, Azure opens with a chunk that has none.
  choices: z.array(z.object({ delta: openaiMessageSchema.nullish(), finish_reason: z.string().nullish() })).nullish(),
  usage: openaiUsageSchema.nullish(),
});

type Chunk = z.infer<typeof chunkSchema>;

/** @throws ProviderFailure malformed, or what an error inside the stream says (unavailable where it does not say) */
export async function* readOpenAIStream(chunks: AsyncIterable<Uint8Array>, onRequestId?: OnRequestId): AsyncGenerator<ProviderEvent> {
  let reason: FinishReason | undefined;
  let usage: Chunk["usage"];
  let isRefused = false;
  const toolCalls = new ToolCallPieces();
  for await (const events of readServerSentEvents(chunks)) {
    for (const data of events) {
      if (data === "[DONE]") {
        yield { type: "finish", reason: reason ?? "other", usage: readOpenAIUsage(usage) };
        return;
      }
      if (data === "") continue;
      const chunk = readChunk(data);
      onRequestId?.(chunk.id);
      usage = chunk.usage ?? usage;
      const choice = chunk.choices?.[0];
      if (choice === undefined) continue;
      if (choice.delta) {
        const text = openaiText(choice.delta);
        if (text !== "") yield { type: "text", text };
        isRefused ||= Boolean(choice.delta.refusal);
        for (const piece of choice.delta.tool_calls ?? []) {
          const event = toolCalls.read(piece);
          if (event !== undefined) yield event;
        }
      }
      if (choice.finish_reason) reason = readOpenAIFinishReason(choice.finish_reason, isRefused);
    }
  }
  if (reason === undefined) throw malformed("the stream broke off before the answer ended");
  yield { type: "finish", reason, usage: readOpenAIUsage(usage) };
}

function readChunk(data: string): Chunk {
  const parsed = parseJson(data, "a chunk");
  if (isRecord(parsed) && parsed.error) throw failureInside(readOpenAIProblem(parsed), "unavailable");
  return readShape(chunkSchema, parsed, "a chunk");
}
