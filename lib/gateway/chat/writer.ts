// Answers of POST /api/v1/chat/completions in OpenAI's format, whole or in chunks. The id is the request's own, so that its receipt can be
// looked up; `usage.cost` is the amount charged, in USD; `payment` and `clippedTo` are our fields, present only when a payment came with the
// request, and when its output limit was lowered.

import { writeJson } from "@/lib/base/json";
import { nanoUsd } from "@/lib/base/money";
import type { FinishReason } from "@/lib/providers/types";
import type { GatewayRequest } from "../http/request";
import { costFields, type OutputPiece, type PricedCompletion } from "../prompt/completion";
import type { ReplyWriter } from "../prompt/prompt-body";
import type { PaymentFacts } from "../proof/facts";
import { paymentBody } from "../proof/payment-body";
import type { ChatPrompt } from "./body";
import { chatErrorBody } from "./errors";

export function chatWriter(request: GatewayRequest, prompt: ChatPrompt, payment: PaymentFacts | null = null): ReplyWriter {
  const { model, includeUsage, clippedTo } = prompt;
  const clipped = clippedTo === undefined ? "" : `,"clippedTo":${clippedTo}`;
  const created = Math.floor(request.arrivedAtMs / 1000);
  const chunk = (fields: string): string =>
    `data: {"id":"${request.id}","object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model.id)},${fields}}\n\n`;
  const delta = (text: string, reason: string | null, more = ""): string =>
    chunk(`"choices":[{"index":0,"delta":${text},"logprobs":null,"finish_reason":${JSON.stringify(reason)}}]${more}`);
  const ours = ({ inputCost, outputCost }: PricedCompletion): string =>
    clipped + (payment === null ? "" : `,"payment":${writeJson(paymentBody(payment, nanoUsd(inputCost + outputCost)))}`);
  return {
    whole: (priced) =>
      `{"id":"${request.id}","object":"chat.completion","created":${created},"model":${JSON.stringify(model.id)},` +
      `"choices":[{"index":0,"message":${messageText(priced)},"logprobs":null,"finish_reason":"${finishReason(priced)}"}],` +
      `"usage":${usageText(priced)}${ours(priced)}}`,
    opening: () => delta(`{"role":"assistant","content":"","refusal":null}`, null),
    // OpenAI's format has no field for reasoning.
    piece: (piece) => (piece.type === "reasoning" ? "" : delta(deltaText(piece), null)),
    done: (priced) => {
      const usage = includeUsage ? chunk(`"choices":[],"usage":${usageText(priced)}`) : "";
      return `${delta("{}", finishReason(priced), ours(priced))}${usage}data: [DONE]\n\n`;
    },
    failed: (error) => `data: ${chatErrorBody(error, request.id)}\n\n`,
  };
}

function messageText({ completion: { output } }: PricedCompletion): string {
  const { text, toolCalls } = output;
  const content = text === "" && toolCalls.length > 0 ? null : text;
  const calls = toolCalls.map(({ id, name, arguments: given }) => ({ id, type: "function", function: { name, arguments: given } }));
  return JSON.stringify({ role: "assistant", content, refusal: null, tool_calls: calls.length > 0 ? calls : undefined });
}

function deltaText(piece: Exclude<OutputPiece, { type: "reasoning" }>): string {
  if (piece.type === "text") return `{"content":${JSON.stringify(piece.text)}}`;
  const { index, id, name, arguments: given } = piece;
  const call =
    id === undefined ? { index, function: { arguments: given } } : { index, id, type: "function", function: { name, arguments: given } };
  return JSON.stringify({ tool_calls: [call] });
}

/** OpenAI's finish reason; `stop` for a reason that OpenAI does not have. */
function finishReason({ completion }: PricedCompletion): Exclude<FinishReason, "other"> {
  const { finish } = completion.output;
  return finish === null || finish === "other" ? "stop" : finish;
}

function usageText(priced: PricedCompletion): string {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = priced.completion.usage;
  return (
    `{"prompt_tokens":${inputTokens},"completion_tokens":${outputTokens},"total_tokens":${inputTokens + outputTokens},` +
    `"prompt_tokens_details":{"cached_tokens":${cachedInputTokens}},"completion_tokens_details":{"reasoning_tokens":${reasoningTokens}},` +
    `${costFields(priced)}}`
  );
}
