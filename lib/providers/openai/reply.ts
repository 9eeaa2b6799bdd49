// A whole chat completion, and what its parts mean to us.

import { z } from "zod";
import { failureInside } from "../http-failure";
import { type FinishReason, type OnRequestId, type ProviderEvent, ProviderFailure } from "../types";
import { isRecord, parseJson, readShape } from "../wire-value";
import { readOpenAIProblem } from "./errors";
import { openaiToolCallSchema, readOpenAIToolCalls } from "./tool-calls";
import { openaiUsageSchema, readOpenAIUsage } from "./usage";

/**
 * A message, or the delta of one. `reasoning_content` is left out on purpose: it is paid for, and not part of the answer.
 * So is the older `function_call`, which answers a request that we do not make.
 */
export const openaiMessageSchema = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(openaiToolCallSchema).nullish(),
});

const replySchema = z.object({
  id: z.unknown().optional(),
  choices: z.tuple([z.object({ message: openaiMessageSchema, finish_reason: z.string().nullish() })], z.unknown()),
  usage: openaiUsageSchema.nullish(),
});

/** @throws ProviderFailure malformed, or what the error inside a 200 says (rejected where it does not say) */
export function readOpenAIReply(body: string, onRequestId?: OnRequestId): ProviderEvent[] {
  const parsed = parseJson(body, "the reply");
  if (isRecord(parsed) && parsed.error) throw failureInside(readOpenAIProblem(parsed), "rejected");
  const { id, choices, usage } = readShape(replySchema, parsed, "the reply");
  onRequestId?.(id);
  const { message, finish_reason } = choices[0];
  const reason = readOpenAIFinishReason(finish_reason, Boolean(message.refusal));
  const text = openaiText(message);
  const events: ProviderEvent[] = text === "" ? [] : [{ type: "text", text }];
  events.push(...readOpenAIToolCalls(message.tool_calls ?? []), { type: "finish", reason, usage: readOpenAIUsage(usage) });
  return events;
}

/** What the customer reads. A refusal stands in a field of its own; its words are the answer, and they are charged. */
export function openaiText(message: z.infer<typeof openaiMessageSchema>): string {
  return `${message.content ?? ""}${message.refusal ?? ""}`;
}

/** @throws ProviderFailure unavailable, when the provider says that it stopped for want of machines */
export function readOpenAIFinishReason(reason: string | null | undefined, isRefused: boolean): FinishReason {
  switch (reason) {
    case "stop":
      // OpenAI calls a refusal a complete answer.
      return isRefused ? "content_filter" : "stop";
    case "length":
    case "content_filter":
    case "tool_calls":
      return reason;
    case "function_call":
      // What it was called before there were several.
      return "tool_calls";
    case "insufficient_system_resource":
      // DeepSeek broke the answer off: half of it must not pass for the whole.
      throw new ProviderFailure("unavailable", "the provider broke off: insufficient_system_resource", { accepted: true });
    default:
      return "other";
  }
}
