// Messages as Anthropic takes them: calls of tools are blocks of the assistant's message, and their results are blocks of
// the one user message that follows (https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/handle-tool-calls).

import type { ChatMessage, ToolCall } from "../types";
import { readJsonObject } from "../wire-value";

type Block =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: object }
  | { type: "tool_result"; tool_use_id: string; content?: string };

interface AnthropicMessage {
  role: "user" | "assistant";
  content: string | Block[];
}

/** All messages but those of the system. */
export function anthropicMessages(messages: readonly ChatMessage[]): AnthropicMessage[] {
  const turns: AnthropicMessage[] = [];
  /** The blocks of a user message that begins with results; what the user says next belongs to it, behind them. */
  let results: Block[] | undefined;
  for (const message of messages) {
    switch (message.role) {
      case "system":
        break;
      case "assistant":
        results = undefined;
        turns.push({
          role: "assistant",
          content: message.toolCalls?.length ? callBlocks(message.content, message.toolCalls) : message.content,
        });
        break;
      case "user":
        if (results === undefined) turns.push({ role: "user", content: message.content });
        else results.push(...textBlocks(message.content));
        break;
      case "tool":
        if (results === undefined) {
          results = [];
          turns.push({ role: "user", content: results });
        }
        results.push(resultBlock(message.toolCallId, message.content));
        break;
    }
  }
  return turns;
}

function callBlocks(text: string, calls: readonly ToolCall[]): Block[] {
  const blocks = calls.map(({ id, name, arguments: text }): Block => ({ type: "tool_use", id: wireId(id), name, input: readInput(text) }));
  return [...textBlocks(text), ...blocks];
}

function resultBlock(callId: string, content: string): Block {
  return { type: "tool_result", tool_use_id: wireId(callId), content: content === "" ? undefined : content };
}

/** A text block must hold more than white space; a string in place of blocks may not. */
function textBlocks(text: string): Block[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/** Anthropic's ids are letters, digits, _ and -; another provider's, which the customer sends back, may hold more. */
function wireId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_");
}

/**
 * Arguments are text here and an object there. What is no object (a model wrote broken JSON and the customer answered it
 * with an error as the result) becomes {}: refusing it would end a conversation that only needs to go on.
 */
const readInput = (text: string): object => readJsonObject(text) ?? {};
