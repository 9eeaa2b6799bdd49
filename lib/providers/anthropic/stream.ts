// A streamed Anthropic message. message_start counts the input, message_delta the output (cumulative); the end is message_stop, or
// the end of the stream after a stop reason. Events of unknown types are ignored, as Anthropic's versioning demands.
// A tool call is a content block: its start has id and name, its deltas contain the arguments as pieces of JSON text.

import { z } from "zod";
import { readServerSentEvents } from "../answer/sse";
import { failureInside } from "../http-failure";
import type { OnRequestId, OnUsage, ProviderEvent, ReasoningEvent } from "../types";
import { malformed, parseJson, readShape } from "../wire-value";
import { readAnthropicProblem } from "./errors";
import {
  type AnthropicUsage,
  anthropicBlockSchema,
  anthropicBlockText,
  anthropicFinish,
  anthropicUsageSchema,
  mergeAnthropicUsage,
  readAnthropicCall,
  readAnthropicThought,
  readAnthropicUsage,
} from "./reply";

const eventSchema = z.object({ type: z.string() });
const messageStartSchema = z.object({ message: z.object({ id: z.unknown().optional(), usage: anthropicUsageSchema.nullish() }) });
const blockIndexSchema = z.number().nullish();
const blockStartSchema = z.object({ index: blockIndexSchema, content_block: anthropicBlockSchema });
const blockDeltaSchema = z.object({
  index: blockIndexSchema,
  delta: z.object({
    type: z.string(),
    text: z.string().nullish(),
    partial_json: z.string().nullish(),
    thinking: z.string().nullish(),
    signature: z.string().nullish(),
  }),
});
const blockStopSchema = z.object({ index: blockIndexSchema });
const messageDeltaSchema = z.object({
  delta: z.object({ stop_reason: z.string().nullish(), stop_sequence: z.string().nullish() }),
  usage: anthropicUsageSchema.nullish(),
});

/** @throws ProviderFailure malformed, or the kind of an error event (unavailable where it names none) */
export async function* readAnthropicStream(
  chunks: AsyncIterable<Uint8Array>,
  onRequestId?: OnRequestId,
  onUsage?: OnUsage,
): AsyncGenerator<ProviderEvent> {
  const answer = new AnswerUnderWay(onRequestId, onUsage);
  for await (const events of readServerSentEvents(chunks)) {
    for (const data of events) {
      if (data === "") continue;
      const news = answer.take(data);
      if (news !== undefined) yield news;
      if (answer.isStopped) {
        yield answer.finish();
        return;
      }
    }
  }
  yield answer.finish();
}

type BlockStart = z.infer<typeof blockStartSchema>;
type BlockDelta = z.infer<typeof blockDeltaSchema>;

interface CallUnderWay {
  /** The call's position among the calls of the answer. */
  index: number;
  hasArguments: boolean;
}

class AnswerUnderWay {
  isStopped = false;
  #id: unknown;
  #hasBlocks = false;
  #reason: string | undefined;
  #sequence: string | null | undefined;
  #usage: AnthropicUsage | undefined;
  /** By the index of their content blocks; text and thinking blocks count as well. */
  readonly #calls = new Map<number | null | undefined, CallUnderWay>();
  #callCount = 0;
  /** The positions of thoughts, by the index of their content blocks. */
  readonly #thoughts = new Map<number | null | undefined, number>();
  readonly #onRequestId: OnRequestId | undefined;
  readonly #onUsage: OnUsage | undefined;

  constructor(onRequestId: OnRequestId | undefined, onUsage: OnUsage | undefined) {
    this.#onRequestId = onRequestId;
    this.#onUsage = onUsage;
  }

  /** Consumes one event and returns its addition to the answer. */
  take(data: string): ProviderEvent | undefined {
    const event = parseJson(data, "an event");
    const { type } = readShape(eventSchema, event, "an event");
    switch (type) {
      case "content_block_delta":
        return this.#takeDelta(readShape(blockDeltaSchema, event, type));
      case "content_block_start":
        return this.#takeStart(readShape(blockStartSchema, event, type));
      case "content_block_stop":
        return this.#takeStop(readShape(blockStopSchema, event, type).index);
      case "message_start": {
        const { id, usage } = readShape(messageStartSchema, event, type).message;
        this.#begin(id);
        this.#onRequestId?.(id);
        this.#count(usage);
        return undefined;
      }
      case "message_delta": {
        const { delta, usage } = readShape(messageDeltaSchema, event, type);
        this.#count(usage);
        if (delta.stop_reason) this.#reason = delta.stop_reason;
        this.#sequence ??= delta.stop_sequence;
        return undefined;
      }
      case "message_stop":
        this.isStopped = true;
        return undefined;
      case "error":
        throw failureInside(readAnthropicProblem(event), "unavailable");
      default:
        return undefined;
    }
  }

  /**
   * A proxy that asks again in the middle of an answer sends the beginning of another one: its blocks would be added to those before it, under
   * the same indices (vercel/ai, packages/anthropic, spliced-message-start).
   * @throws ProviderFailure malformed
   */
  #begin(id: unknown): void {
    if (this.#hasBlocks && id !== this.#id) throw malformed("another message began before the end of this one");
    this.#id = id;
  }

  #count(usage: AnthropicUsage | null | undefined): void {
    this.#usage = mergeAnthropicUsage(this.#usage, usage);
    const counted = readAnthropicUsage(this.#usage);
    if (counted) this.#onUsage?.(counted);
  }

  #takeStart({ index, content_block: block }: BlockStart): ProviderEvent | undefined {
    this.#hasBlocks = true;
    const thought = readAnthropicThought(block, this.#thoughts.size);
    if (thought) {
      this.#thoughts.set(index, thought.index);
      return thought;
    }
    if (block.type !== "tool_use") return textEvent(anthropicBlockText(block));
    const call = readAnthropicCall({ ...block, input: block.input ?? {} }, this.#callCount++);
    // The input of a start is {} as a placeholder; only a non-empty one is part of the arguments.
    const hasArguments = call.arguments !== "{}";
    this.#calls.set(index, { index: call.index, hasArguments });
    return hasArguments ? call : { ...call, arguments: "" };
  }

  #takeDelta({ index, delta }: BlockDelta): ProviderEvent | undefined {
    if (delta.type === "text_delta") return textEvent(anthropicBlockText({ type: "text", text: delta.text }));
    const thought = this.#thoughts.get(index);
    if (thought !== undefined) return thoughtDelta(thought, delta);
    const call = delta.type === "input_json_delta" ? this.#calls.get(index) : undefined;
    if (call === undefined) return undefined;
    if (typeof delta.partial_json !== "string") throw malformed("an input_json_delta has no partial_json");
    if (delta.partial_json === "") return undefined;
    call.hasArguments = true;
    return { type: "tool_call", index: call.index, arguments: delta.partial_json };
  }

  /** A call without input has no delta, or only empty ones; its arguments are still an empty object. */
  #takeStop(index: number | null | undefined): ProviderEvent | undefined {
    const call = this.#calls.get(index);
    this.#calls.delete(index);
    return call === undefined || call.hasArguments ? undefined : { type: "tool_call", index: call.index, arguments: "{}" };
  }

  finish(): ProviderEvent {
    if (this.#reason === undefined && !this.isStopped) throw malformed("the stream broke off before the answer ended");
    return anthropicFinish(this.#reason, this.#sequence, this.#usage);
  }
}

function thoughtDelta(index: number, { type, thinking, signature }: BlockDelta["delta"]): ReasoningEvent | undefined {
  if (type === "thinking_delta" && thinking) return { type: "reasoning", kind: "thinking", index, text: thinking };
  if (type === "signature_delta" && signature) return { type: "reasoning", kind: "thinking", index, text: "", data: signature };
  return undefined;
}

function textEvent(text: string): ProviderEvent | undefined {
  return text === "" ? undefined : { type: "text", text };
}
