// A streamed message of Anthropic's. Input is counted by message_start, output by message_delta (cumulative); the end is
// message_stop, or the end of the stream after a stop reason. Events of unknown types are passed over, as its versioning asks.

import { z } from "zod";
import { failureInside } from "../http-failure";
import { readServerSentEvents } from "../sse";
import type { FinishReason, ProviderEvent } from "../types";
import { malformed, parseJson, readShape } from "../wire-value";
import { readAnthropicProblem } from "./errors";
import { anthropicBlockText, readAnthropicStopReason } from "./reply";
import { type AnthropicUsage, anthropicUsageSchema, mergeAnthropicUsage, readAnthropicUsage } from "./usage";

const eventSchema = z.object({ type: z.string() });
const messageStartSchema = z.object({ message: z.object({ usage: anthropicUsageSchema.nullish() }) });
const blockStartSchema = z.object({ content_block: z.object({ type: z.string(), text: z.string().nullish() }) });
const blockDeltaSchema = z.object({ delta: z.object({ type: z.string(), text: z.string().nullish() }) });
const messageDeltaSchema = z.object({
  delta: z.object({ stop_reason: z.string().nullish() }),
  usage: anthropicUsageSchema.nullish(),
});

/** @throws ProviderFailure malformed, or what an error event says (unavailable where it does not say) */
export async function* readAnthropicStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ProviderEvent> {
  const answer = new AnswerUnderWay();
  for await (const events of readServerSentEvents(chunks)) {
    for (const data of events) {
      if (data === "") continue;
      const text = answer.take(data);
      if (text !== "") yield { type: "text", text };
      if (answer.isStopped) {
        yield answer.finish();
        return;
      }
    }
  }
  yield answer.finish();
}

class AnswerUnderWay {
  isStopped = false;
  #reason: FinishReason | undefined;
  #usage: AnthropicUsage | undefined;

  /** Takes in one event and returns the text it adds. */
  take(data: string): string {
    const event = parseJson(data, "an event");
    const { type } = readShape(eventSchema, event, "an event");
    switch (type) {
      case "content_block_delta": {
        const { delta } = readShape(blockDeltaSchema, event, type);
        return delta.type === "text_delta" ? anthropicBlockText({ type: "text", text: delta.text }) : "";
      }
      case "content_block_start":
        return anthropicBlockText(readShape(blockStartSchema, event, type).content_block);
      case "message_start":
        this.#usage = mergeAnthropicUsage(this.#usage, readShape(messageStartSchema, event, type).message.usage);
        return "";
      case "message_delta": {
        const { delta, usage } = readShape(messageDeltaSchema, event, type);
        this.#usage = mergeAnthropicUsage(this.#usage, usage);
        if (delta.stop_reason) this.#reason = readAnthropicStopReason(delta.stop_reason);
        return "";
      }
      case "message_stop":
        this.isStopped = true;
        return "";
      case "error":
        throw failureInside(readAnthropicProblem(event), "unavailable");
      default:
        return "";
    }
  }

  finish(): ProviderEvent {
    if (this.#reason === undefined && !this.isStopped) throw malformed("the stream broke off before the answer ended");
    return { type: "finish", reason: this.#reason ?? "other", usage: readAnthropicUsage(this.#usage) };
  }
}
