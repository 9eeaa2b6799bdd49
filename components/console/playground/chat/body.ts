// The body of a turn: that of POST /api/v1/chat/completions, which the playground's endpoints take.

import { countBytes } from "@/components/ui/text/byte-count";
import type { SignedPayment } from "../run";

interface CalledFunction {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

export type ContentPart = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

export type ChatMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | ContentPart[] }
  | { role: "assistant"; content: string | null; tool_calls?: CalledFunction[] }
  | { role: "tool"; tool_call_id: string; content: string };

export interface ChatTool {
  type: "function";
  function: { name: string; description?: string | undefined; parameters?: Record<string, unknown> | undefined };
}

export interface AnswerSchema {
  name: string;
  schema: Record<string, unknown>;
}

/** How a turn is answered: everything of its body beside the messages. Undefined fields are not sent. */
export interface TurnOptions {
  model: string;
  system?: string | undefined;
  maxTokens?: number | undefined;
  temperature?: number | undefined;
  effort?: Effort | undefined;
  tools?: readonly ChatTool[] | undefined;
  schema?: AnswerSchema | undefined;
}

export const efforts = ["none", "minimal", "low", "medium", "high"] as const;
export type Effort = (typeof efforts)[number];

export interface ChatBody {
  model: string;
  messages: readonly ChatMessage[];
  max_completion_tokens?: number | undefined;
  temperature?: number | undefined;
  reasoning_effort?: Effort | undefined;
  tools?: readonly ChatTool[] | undefined;
  response_format?: { type: "json_schema"; json_schema: AnswerSchema & { strict: boolean } } | undefined;
  payment?: SignedPayment | undefined;
}

/** The same options and messages always give the same text: a payment is good for one body. */
export const writeBody = (options: TurnOptions, messages: readonly ChatMessage[]): ChatBody => ({
  model: options.model,
  messages,
  max_completion_tokens: options.maxTokens,
  temperature: options.temperature,
  reasoning_effort: options.effort,
  tools: options.tools,
  response_format: options.schema && { type: "json_schema", json_schema: { ...options.schema, strict: true } },
});

/** UTF-8 bytes of the texts of a body, by which its tokens are estimated. Images are not texts. */
export function countTextBytes({ messages, tools, response_format }: ChatBody): number {
  const texts = messages.flatMap((message) => {
    const { content } = message;
    const parts = typeof content === "string" ? [content] : (content ?? []).map((part) => ("text" in part ? part.text : ""));
    const calls =
      message.role === "assistant" ? (message.tool_calls ?? []).map((call) => call.function.name + call.function.arguments) : [];
    return [...parts, ...calls];
  });
  if (tools) texts.push(JSON.stringify(tools));
  if (response_format) texts.push(JSON.stringify(response_format.json_schema.schema));
  return texts.reduce((sum, text) => sum + countBytes(text), 0);
}
