// Answers that stand one after the other in a conversation of POST /api/v1/messages, the first with calls. Anthropic reads them as one:
// "consecutive user or assistant turns in your request will be combined into a single turn" (platform.claude.com/docs/en/api/messages), and the
// results of both stand after the second. Other providers would miss the results of the first.

import {
  type ChatMessage,
  type Content,
  type ContentPart,
  contentText,
  type ReasoningBlock,
  type ToolCall,
} from "@/lib/providers/conversation/messages";
import { contentOf } from "./simple-blocks";

type Answer = Extract<ChatMessage, { role: "assistant" }>;

/** Joins them into the first, in place; `messages` are those of each message of the request. */
export function joinAnswers(messages: ChatMessage[][]): void {
  for (let index = 0; index + 1 < messages.length; index += 1) {
    const first = messages[index]?.[0];
    if (first?.role !== "assistant" || !first.toolCalls) continue;
    const run: Answer[] = [first];
    for (let next = messages[index + run.length]?.[0]; next?.role === "assistant"; next = messages[index + run.length]?.[0]) run.push(next);
    if (run.length === 1) continue;
    messages[index] = [joined(run)];
    for (let at = 1; at < run.length; at += 1) messages[index + at] = [];
    index += run.length - 1;
  }
}

function joined(run: readonly Answer[]): ChatMessage {
  const parts: ContentPart[] = [];
  const toolCalls: ToolCall[] = [];
  const reasoning: ReasoningBlock[] = [];
  let characters = 0;
  for (const answer of run) {
    for (const { after, ...block } of answer.reasoning ?? []) {
      reasoning.push({
        ...block,
        after: { characters: characters + (after?.characters ?? 0), calls: toolCalls.length + (after?.calls ?? 0) },
      });
    }
    for (const part of partsOf(answer.content)) parts.push(part);
    for (const call of answer.toolCalls ?? []) toolCalls.push(call);
    characters += contentText(answer.content).length;
  }
  return { role: "assistant", content: contentOf(parts), toolCalls, ...(reasoning.length > 0 && { reasoning }) };
}

const partsOf = (content: Content): readonly ContentPart[] => {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
};
