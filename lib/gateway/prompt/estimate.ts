// Our own count of tokens, for the one case where the provider gave none: a stream that ended before its usage came. It
// errs on the customer's side: four bytes a token is what English prose has at the most.

import type { ChatMessage, ModelCall, TokenUsage } from "@/lib/providers/types";

const BYTES_PER_TOKEN = 4;
/** What stands around each message at the least (OpenAI's cookbook, "How to count tokens"): many empty ones are not free. */
const TOKENS_AROUND_MESSAGE = 3;

type Input = Pick<ModelCall, "messages" | "tools" | "responseFormat">;

/** UTF-8 bytes of all messages together, their tool calls among them. */
export const countMessageBytes = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + Buffer.byteLength(message.content) + countCallBytes(message), 0);

const countCallBytes = (message: ChatMessage): number =>
  message.role === "assistant" && message.toolCalls
    ? message.toolCalls.reduce((sum, call) => sum + Buffer.byteLength(call.id + call.name + call.arguments), 0)
    : 0;

/** Tools and schemas are input as well, and may be most of it. */
const countInputBytes = ({ messages, tools, responseFormat }: Input): number =>
  countMessageBytes(messages) +
  (tools ? Buffer.byteLength(JSON.stringify(tools)) : 0) +
  (responseFormat ? Buffer.byteLength(JSON.stringify(responseFormat)) : 0);

/** Estimated usage of an answer that broke off; never above the bound that was held for the input. */
export function estimateUsage(input: Input, text: string, inputBound: number): TokenUsage {
  const inputTokens = Math.ceil(countInputBytes(input) / BYTES_PER_TOKEN) + input.messages.length * TOKENS_AROUND_MESSAGE;
  return {
    inputTokens: Math.min(inputBound, inputTokens),
    outputTokens: Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN),
    cachedInputTokens: 0,
    reasoningTokens: 0,
  };
}
