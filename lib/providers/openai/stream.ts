// A streamed chat completion. Usage comes with the last chunk, in a separate chunk without choices, or repeatedly (xAI): the last one
// counts. The end is `[DONE]`, or the end of the stream after a finish reason.

import { z } from "zod";
import { readServerSentEvents } from "../answer/sse";
import { failureInside } from "../http-failure";
import type { FinishReason, OnRequestId, OnUsage, ProviderEvent, ToolCallEvent } from "../types";
import { checkServiceTier, isRecord, malformed, parseJson, readShape } from "../wire-value";
import { readOpenAIProblem } from "./errors";
import {
  firstPiece,
  isFunctionCall,
  openaiMessageSchema,
  openaiText,
  openaiUsageSchema,
  readOpenAIFinishReason,
  readOpenAIUsage,
  type ToolCallPiece,
} from "./reply";

const chunkSchema = z.object({
  id: z.unknown().optional(),
  // vLLM sends its closing usage with `choices: null`, Azure opens with a chunk without choices.
  choices: z.array(z.object({ delta: openaiMessageSchema.nullish(), finish_reason: z.string().nullish() })).nullish(),
  usage: openaiUsageSchema.nullish(),
  service_tier: z.unknown().optional(),
});

type Chunk = z.infer<typeof chunkSchema>;

/** @throws ProviderFailure malformed, or the kind of an error inside the stream (unavailable where it names none) */
export async function* readOpenAIStream(
  chunks: AsyncIterable<Uint8Array>,
  onRequestId?: OnRequestId,
  onUsage?: OnUsage,
): AsyncGenerator<ProviderEvent> {
  let reason: FinishReason | undefined;
  let usage: Chunk["usage"];
  let serviceTier: unknown;
  let isRefused = false;
  const toolCalls = new ToolCallPieces();
  for await (const events of readServerSentEvents(chunks)) {
    for (const data of events) {
      if (data === "[DONE]") {
        checkServiceTier(serviceTier);
        yield { type: "finish", reason: reason ?? "other", usage: readOpenAIUsage(usage) };
        return;
      }
      if (data === "") continue;
      const chunk = readChunk(data);
      onRequestId?.(chunk.id);
      if (chunk.usage) {
        usage = chunk.usage;
        const counted = readOpenAIUsage(usage);
        if (counted) onUsage?.(counted);
      }
      serviceTier ??= chunk.service_tier;
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
  checkServiceTier(serviceTier);
  yield { type: "finish", reason, usage: readOpenAIUsage(usage) };
}

function readChunk(data: string): Chunk {
  const parsed = parseJson(data, "a chunk");
  if (isRecord(parsed) && parsed.error) throw failureInside(readOpenAIProblem(parsed), "unavailable");
  return readShape(chunkSchema, parsed, "a chunk");
}

interface KnownCall {
  wireIndex: number | undefined;
  wireId: string | undefined;
  /** Undefined for a call of another type than `function`, whose pieces are ignored. */
  index: number | undefined;
}

/**
 * Assigns the pieces of a stream to their calls. `index` distinguishes the calls; compatible servers omit it, give every call the
 * index 0, or repeat id and name in each piece.
 */
class ToolCallPieces {
  #known: KnownCall[] = [];
  #functions = 0;

  /**
   * Undefined for a piece that adds nothing.
   * @throws ProviderFailure malformed, when a call begins without the name of its function
   */
  read(piece: ToolCallPiece): ToolCallEvent | undefined {
    const known = this.#find(piece);
    if (known === undefined) return this.#begin(piece);
    // A late id still distinguishes pieces; by then the customer has received another id.
    known.wireId ??= piece.id || undefined;
    const text = piece.function?.arguments;
    return known.index === undefined || !text ? undefined : { type: "tool_call", index: known.index, arguments: text };
  }

  #begin(piece: ToolCallPiece): ToolCallEvent | undefined {
    const index = isFunctionCall(piece) ? this.#functions : undefined;
    const event = index === undefined ? undefined : firstPiece(piece, index);
    if (index !== undefined) this.#functions += 1;
    this.#known.push({ wireIndex: piece.index ?? undefined, wireId: piece.id || undefined, index });
    return event;
  }

  /** The call that a piece continues; undefined when the piece begins one. */
  #find(piece: ToolCallPiece): KnownCall | undefined {
    const isNamed = Boolean(piece.function?.name);
    if (piece.index !== undefined && piece.index !== null) {
      const known = this.#known.findLast(({ wireIndex }) => wireIndex === piece.index);
      // Gemini's own chat completions give several calls the same index 0, each with its own id and name.
      const isOther = isNamed && piece.id && known?.wireId !== undefined && known.wireId !== piece.id;
      return isOther ? this.#known.findLast(({ wireId }) => wireId === piece.id) : known;
    }
    if (piece.id) {
      const known = this.#known.findLast(({ wireId }) => wireId === piece.id);
      if (known !== undefined || isNamed) return known;
    }
    return isNamed || !isFunctionCall(piece) ? undefined : this.#known.at(-1);
  }
}
