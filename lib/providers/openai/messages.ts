// The messages of a call in the words of chat completions. Image parts belong here once they exist.

import { createHash } from "node:crypto";
import type { ChatMessage, ModelCall, ToolCall } from "../types";
import type { OpenAIDialect } from "./dialect";

export function openaiMessages({ messages, responseFormat }: ModelCall, dialect: OpenAIDialect): object[] {
  const written = messages.map((message) => openaiMessage(message, dialect));
  if (responseFormat?.type !== "json_schema" || dialect.takesJsonSchema) return written;
  // JSON mode must also be asked for in a message: https://api-docs.deepseek.com/guides/json_mode
  const content = `Return JSON that conforms to this JSON Schema: ${JSON.stringify(responseFormat.schema)}`;
  return [{ role: "system", content }, ...written];
}

/** `system` everywhere: OpenAI reads it as its newer `developer` role, which the compatible servers do not know. */
function openaiMessage(message: ChatMessage, dialect: OpenAIDialect): object {
  switch (message.role) {
    case "assistant":
      return {
        role: "assistant",
        content: message.content === "" && message.toolCalls?.length ? null : message.content,
        tool_calls: message.toolCalls?.length ? message.toolCalls.map(openaiToolCall) : undefined,
        // Thoughts are not part of an answer here, so there are none to give back; DeepSeek accepts empty ones.
        reasoning_content: dialect.thinks ? "" : undefined,
      };
    case "tool":
      return { role: "tool", content: message.content, tool_call_id: shortId(message.toolCallId) };
    default:
      return { role: message.role, content: message.content };
  }
}

function openaiToolCall({ id, name, arguments: text }: ToolCall): object {
  return { id: shortId(id), type: "function", function: { name, arguments: text } };
}

const maxIdLength = 40;

/** OpenAI answers 400 to a longer id, as a conversation has that was begun at Gemini: there the id carries a signature. */
function shortId(id: string): string {
  if (id.length <= maxIdLength) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
