// A streamed response. Each event names its type in its data and the item it belongs to by `output_index`; the last one is
// `response.completed`, `response.incomplete` or `response.failed`. Servers that send an item whole, without its pieces, are read too.
// Documented at https://platform.openai.com/docs/api-reference/responses-streaming.

import { z } from "zod";
import { readServerSentEvents } from "../answer/sse";
import type { MessagePhase } from "../conversation/messages";
import type { OnRequestId, OnUsage, ProviderEvent } from "../types";
import { isRecord, malformed, parseJson, readShape } from "../wire-value";
import { responsesFailure } from "./errors";
import {
  BETWEEN_SUMMARIES,
  finishEvent,
  ItemCounts,
  isRefusal,
  messageText,
  type ResponsesItem,
  readCall,
  readResponsesUsage,
  responsesEndSchema,
  responsesItemSchema,
  thoughtText,
} from "./reply";

const eventSchema = z.object({
  type: z.string(),
  output_index: z.number().int().nullish(),
  summary_index: z.number().int().nullish(),
  delta: z.string().nullish(),
  item: responsesItemSchema.nullish(),
  response: responsesEndSchema.nullish(),
});

type StreamEvent = z.infer<typeof eventSchema>;

/** The events that are read; a type that is not here adds nothing. */
const read = new Set([
  "response.created",
  "response.output_item.added",
  "response.output_item.done",
  "response.output_text.delta",
  "response.refusal.delta",
  "response.reasoning_summary_text.delta",
  "response.reasoning_summary_part.added",
  "response.reasoning_text.delta",
  "response.function_call_arguments.delta",
  "response.custom_tool_call_input.delta",
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

/** @throws ProviderFailure malformed, or the kind of the error that ended the response */
export async function* readResponsesStream(
  chunks: AsyncIterable<Uint8Array>,
  onRequestId?: OnRequestId,
  onUsage?: OnUsage,
): AsyncGenerator<ProviderEvent> {
  const items = new OpenItems();
  for await (const events of readServerSentEvents(chunks)) {
    for (const data of events) {
      const event = readEvent(data);
      if (event === undefined) continue;
      if (event.response) onRequestId?.(event.response.id);
      const isEnd = event.type === "response.completed" || event.type === "response.incomplete" || event.type === "response.failed";
      if (!isEnd) {
        yield* items.read(event);
        continue;
      }
      if (!event.response) throw malformed(`${event.type} without its response`);
      // A failed response has its token counts all the same.
      const counted = readResponsesUsage(event.response.usage);
      if (counted) onUsage?.(counted);
      const status = event.response.status ?? event.type.slice("response.".length);
      yield finishEvent({ ...event.response, status }, items);
      return;
    }
  }
  throw malformed("the stream broke off before the answer ended");
}

/** @throws ProviderFailure for an event of type `error` */
function readEvent(data: string): StreamEvent | undefined {
  if (data === "" || data === "[DONE]") return undefined;
  const parsed = parseJson(data, "an event");
  if (!isRecord(parsed)) throw malformed("an event is no object");
  if (parsed.type === "error" || (parsed.type === undefined && parsed.error)) {
    throw responsesFailure(isRecord(parsed.error) ? parsed.error : { message: parsed.message, code: parsed.code });
  }
  if (typeof parsed.type === "string" && !read.has(parsed.type)) return undefined;
  return readShape(eventSchema, parsed, "an event");
}

interface OpenItem {
  /** Of a call or a reasoning block; undefined until there is something of it. */
  index?: number;
  phase?: MessagePhase | undefined;
  hasPieces: boolean;
}

/** Turns the pieces of the output's items into events. */
class OpenItems extends ItemCounts {
  isRefused = false;
  readonly #open = new Map<number, OpenItem>();

  *read(event: StreamEvent): Generator<ProviderEvent> {
    const item = this.#itemOf(event.output_index ?? 0);
    switch (event.type) {
      case "response.output_item.added":
        if (event.item) yield* this.#begin(item, event.item);
        return;
      case "response.output_item.done":
        if (event.item) yield* this.#end(item, event.item);
        this.#open.delete(event.output_index ?? 0);
        return;
      case "response.refusal.delta":
        this.isRefused = true;
        yield* this.#text(item, event.delta ?? "");
        return;
      case "response.output_text.delta":
        yield* this.#text(item, event.delta ?? "");
        return;
      case "response.reasoning_summary_part.added":
        if (item.hasPieces) yield* this.#thought(item, BETWEEN_SUMMARIES);
        return;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        yield* this.#thought(item, event.delta ?? "");
        return;
      case "response.function_call_arguments.delta":
        yield* this.#argument(item, event.delta ?? "");
        return;
      case "response.custom_tool_call_input.delta":
        // A piece of a JSON text: without the quotes that stand around the whole.
        yield* this.#argument(item, JSON.stringify(event.delta ?? "").slice(1, -1));
    }
  }

  #itemOf(outputIndex: number): OpenItem {
    let item = this.#open.get(outputIndex);
    if (!item) {
      item = { hasPieces: false };
      this.#open.set(outputIndex, item);
    }
    return item;
  }

  *#begin(item: OpenItem, given: ResponsesItem): Generator<ProviderEvent> {
    if (given.type === "message") item.phase = given.phase ?? undefined;
    if (!isCall(given) || item.index !== undefined) return;
    item.index = this.calls++;
    const start = given.type === "custom_tool_call" ? '{"input":"' : "";
    yield { type: "tool_call", index: item.index, ...readCall(given), arguments: start };
  }

  *#end(item: OpenItem, given: ResponsesItem): Generator<ProviderEvent> {
    if (given.type === "message") {
      this.isRefused ||= isRefusal(given);
      if (!item.hasPieces) yield* this.#text({ ...item, phase: given.phase ?? undefined }, messageText(given));
    } else if (given.type === "reasoning") {
      yield* this.#thought(item, item.hasPieces ? "" : thoughtText(given), given);
    } else if (isCall(given)) {
      yield* this.#begin(item, given);
      const isCustom = given.type === "custom_tool_call";
      const whole = isCustom ? JSON.stringify(given.input ?? "").slice(1, -1) : (given.arguments ?? "");
      const rest = `${item.hasPieces ? "" : whole}${isCustom ? '"}' : ""}`;
      yield* this.#argument(item, rest);
    }
  }

  *#text(item: OpenItem, text: string): Generator<ProviderEvent> {
    if (text === "") return;
    item.hasPieces = true;
    yield { type: "text", text, phase: item.phase };
  }

  *#thought(item: OpenItem, text: string, whole?: ResponsesItem): Generator<ProviderEvent> {
    const data = whole?.encrypted_content ?? undefined;
    if (text === "" && !data) return;
    item.hasPieces = true;
    item.index ??= this.reasoning++;
    yield { type: "reasoning", kind: "encrypted", index: item.index, text, data, id: whole?.id ?? undefined };
  }

  *#argument(item: OpenItem, text: string): Generator<ProviderEvent> {
    if (item.index === undefined) throw malformed("a piece of a call that has not begun");
    if (text === "") return;
    item.hasPieces = true;
    yield { type: "tool_call", index: item.index, arguments: text };
  }
}

const isCall = ({ type }: ResponsesItem): boolean => type === "function_call" || type === "custom_tool_call";
