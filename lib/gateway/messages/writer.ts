// Answers of POST /api/v1/messages in Anthropic's format, whole or as its events. The id holds the request's own, so that its receipt can
// be looked up; `usage.cost` is the amount charged, in USD; `payment` and `clippedTo` are our fields, present only when a payment came with
// the request, and when its output limit was lowered. Most providers count at the end: the charged counts come with `message_delta`, and
// `message_start` has those known by then.

import { writeJson } from "@/lib/base/json";
import { nanoUsd } from "@/lib/base/money";
import type { FinishReason, TokenUsage } from "@/lib/providers/types";
import { readJsonObject } from "@/lib/providers/wire-value";
import type { GatewayRequest } from "../http/request";
import { costFields, type OutputPiece, type PricedCompletion, piecesOf } from "../prompt/completion";
import type { ReplyWriter } from "../prompt/prompt-body";
import type { ToolNames } from "../prompt/tool-calls/names";
import type { PaymentFacts } from "../proof/facts";
import { paymentBody } from "../proof/payment-body";
import { BlockEvents, type Seal, writeEvent } from "./block-events";
import type { MessagesPrompt } from "./body";
import { messagesErrorBody } from "./errors";
import { sealThought } from "./thoughts";

export function messagesWriter(request: GatewayRequest, prompt: MessagesPrompt, payment: PaymentFacts | null = null): ReplyWriter {
  const clipped = prompt.clippedTo === undefined ? "" : `,"clippedTo":${prompt.clippedTo}`;
  const ours = ({ inputCost, outputCost }: PricedCompletion): string =>
    clipped + (payment === null ? "" : `,"payment":${writeJson(paymentBody(payment, nanoUsd(inputCost + outputCost)))}`);
  const head = `"id":"${request.id.replace(/^req_/, "msg_")}","type":"message","role":"assistant","model":${JSON.stringify(prompt.model.id)}`;
  const seal: Seal = (block) => sealThought(prompt.accountId, block.madeBy ?? prompt.model.routes[0], block);
  let blocks = new BlockEvents(seal);
  const named = (piece: OutputPiece): OutputPiece => ownNamed(piece, prompt.toolNames);
  return {
    whole: (priced) =>
      `{${head},"content":${contentText(priced, seal, prompt.toolNames)},${stopText(priced)},"usage":${usageText(priced)}${ours(priced)}}`,
    opening: (counted) => {
      blocks = new BlockEvents(seal);
      const usage = counted ? countsText(counted) : `"input_tokens":0,"output_tokens":0`;
      return writeEvent("message_start", `,"message":{${head},"content":[],"stop_reason":null,"stop_sequence":null,"usage":{${usage}}}`);
    },
    piece: (piece) => blocks.write(named(piece)),
    done: (priced) =>
      blocks.close() +
      writeEvent("message_delta", `,"delta":{${stopText(priced)}},"usage":${usageText(priced)}${ours(priced)}`) +
      writeEvent("message_stop", ""),
    failed: (error) => `event: error\ndata: ${messagesErrorBody(error, request.id)}\n\n`,
    keepAlive: writeEvent("ping", ""),
  };
}

const contentText = ({ completion: { output } }: PricedCompletion, seal: Seal, names: ToolNames | undefined): string =>
  JSON.stringify(piecesOf(output).map((piece) => blockOf(ownNamed(piece, names), seal)));

/** A call by the client's name of its tool. */
const ownNamed = (piece: OutputPiece, names: ToolNames | undefined): OutputPiece =>
  names && piece.type === "tool_call" && piece.name ? { ...piece, name: names.clientTool(piece.name).name } : piece;

function blockOf(piece: OutputPiece, seal: Seal): object {
  switch (piece.type) {
    case "text":
      return { type: "text", text: piece.text };
    case "tool_call":
      return { type: "tool_use", id: piece.id, name: piece.name, input: inputOf(piece.arguments) };
    case "reasoning": {
      const sealed = seal({ kind: piece.kind, data: piece.data ?? "", id: piece.id, madeBy: piece.madeBy });
      if (piece.kind === "redacted") return { type: "redacted_thinking", data: sealed };
      return { type: "thinking", thinking: piece.text, signature: sealed };
    }
  }
}

/** An input is an object: {} for empty text, otherwise an object that keeps the model's text. */
const inputOf = (text: string): object => readJsonObject(text) ?? (text.trim() === "" ? {} : { arguments: text });

const stopReasons: Record<FinishReason, string> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
  other: "end_turn",
};

function stopText({ completion: { output } }: PricedCompletion): string {
  const { finish, stopSequence } = output;
  if (stopSequence !== undefined) return `"stop_reason":"stop_sequence","stop_sequence":${JSON.stringify(stopSequence)}`;
  return `"stop_reason":"${stopReasons[finish ?? "other"]}","stop_sequence":null`;
}

const usageText = (priced: PricedCompletion): string => `{${countsText(priced.completion.usage)},${costFields(priced)}}`;

/** Anthropic counts cached input beside the rest, and we inside it. */
function countsText({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, cacheWrite1hTokens }: TokenUsage): string {
  const written = cacheWriteTokens + cacheWrite1hTokens;
  return (
    `"input_tokens":${inputTokens - cachedInputTokens - written},"cache_creation_input_tokens":${written},` +
    `"cache_creation":{"ephemeral_5m_input_tokens":${cacheWriteTokens},"ephemeral_1h_input_tokens":${cacheWrite1hTokens}},` +
    `"cache_read_input_tokens":${cachedInputTokens},"output_tokens":${outputTokens},"service_tier":"standard"`
  );
}
