// Our own count of tokens, for the one case where the provider gave none: a stream that ended before its usage came. It
// errs on the customer's side: four bytes a token is what English prose has at the most.

import type { ChatMessage, TokenUsage } from "@/lib/providers/types";

const BYTES_PER_TOKEN = 4;

/** UTF-8 bytes of all messages together, their tool calls among them. */
export const countMessageBytes = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + Buffer.byteLength(message.content) + countCallBytes(message), 0);

const countCallBytes = (message: ChatMessage): number =>
  message.role === "assistant" && message.toolCalls
    ? message.toolCalls.reduce((sum, call) => sum + Buffer.byteLength(call.id + call.name + call.arguments), 0)
    : 0;

/** Estimated usage of an answer that broke off; never above the bound that was held for the input. */
export function estimateUsage(messages: readonly ChatMessage[], text: string, inputBound: number): TokenUsage {
  return {
    inputTokens: Math.min(inputBound, Math.ceil(countMessageBytes(messages) / BYTES_PER_TOKEN)),
    outputTokens: Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN),
    cachedInputTokens: 0,
    reasoningTokens: 0,
  };
}
