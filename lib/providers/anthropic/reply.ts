// A whole message of Anthropic's, and what its parts mean to us. Tool use blocks belong here once they exist.

import { z } from "zod";
import { failureInside } from "../http-failure";
import type { FinishReason, ProviderEvent } from "../types";
import { isRecord, malformed, parseJson, readShape } from "../wire-value";
import { readAnthropicProblem } from "./errors";
import { anthropicUsageSchema, readAnthropicUsage } from "./usage";

const blockSchema = z.object({ type: z.string(), text: z.string().nullish() });

const replySchema = z.object({
  content: z.array(blockSchema),
  stop_reason: z.string().nullish(),
  usage: anthropicUsageSchema.nullish(),
});

/** @throws ProviderFailure malformed, or what the error inside a 200 says (rejected where it does not say) */
export function readAnthropicReply(body: string): ProviderEvent[] {
  const parsed = parseJson(body, "the reply");
  if (isRecord(parsed) && parsed.error) throw failureInside(readAnthropicProblem(parsed), "rejected");
  const { content, stop_reason, usage } = readShape(replySchema, parsed, "the reply");
  let text = "";
  for (const block of content) text += anthropicBlockText(block);
  const finish: ProviderEvent = { type: "finish", reason: readAnthropicStopReason(stop_reason), usage: readAnthropicUsage(usage) };
  return text === "" ? [finish] : [{ type: "text", text }, finish];
}

/** Only text blocks are the answer; thinking, signatures and kinds that are yet to come are not. */
export function anthropicBlockText(block: z.infer<typeof blockSchema>): string {
  if (block.type !== "text") return "";
  if (typeof block.text !== "string") throw malformed("a text block has no text");
  return block.text;
}

/** https://docs.anthropic.com/en/api/handling-stop-reasons */
export function readAnthropicStopReason(reason: string | null | undefined): FinishReason {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "refusal":
      return "content_filter";
    default:
      // tool_use and pause_turn wait for something that is never sent to them here.
      return "other";
  }
}
