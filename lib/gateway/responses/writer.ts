// Answers of POST /api/v1/responses in OpenAI's format, whole or as events with sequence numbers. The id is the request's own, so that its
// receipt can be looked up; `usage.cost` is the amount charged, in USD; `payment` and `clippedTo` are our fields, as in a chat completion.

import type { AppError } from "@/lib/base/errors";
import { writeJson } from "@/lib/base/json";
import { nanoUsd } from "@/lib/base/money";
import { chatErrorBody } from "../chat/errors";
import type { GatewayRequest } from "../http/request";
import { costFields, type PricedCompletion, piecesOf } from "../prompt/completion";
import type { ReplyWriter } from "../prompt/prompt-body";
import type { PaymentFacts } from "../proof/facts";
import { paymentBody } from "../proof/payment-body";
import { type ResponsesPrompt, readSummary } from "./body";
import { CompactionOutput, missingSummary } from "./compaction";
import { type ItemEvent, OutputItems, type ResponseOutput } from "./output-items";

export function responsesWriter(request: GatewayRequest, prompt: ResponsesPrompt, payment: PaymentFacts | null = null): ReplyWriter {
  const items = itemsOf(request, prompt);
  const createdAt = Math.floor(request.arrivedAtMs / 1000);
  const head = `{"id":"${request.id}","object":"response","created_at":${createdAt}`;
  const echo = echoText(prompt);
  let sequence = 0;
  const itemEvent = (event: ItemEvent): string => written(event.type, JSON.stringify({ ...event, sequence_number: sequence++ }));
  const stateEvent = (type: string, response: string): string =>
    written(type, `{"type":"${type}","sequence_number":${sequence++},"response":${response}}`);
  const response = (state: ResponseState, usage = `"usage":null`): string => `${head},${stateText(state)},${usage},${echo}}`;
  const ended = (priced: PricedCompletion, end: End, output: object[]): string =>
    response({ completed_at: createdAt, output, ...end }, `"usage":${usageText(priced)}${oursText(priced, prompt, payment)}`);
  const endOf = (priced: PricedCompletion): End =>
    (prompt.deliversAtEnd && endOfMissingSummary(request, prompt, priced)) || endOfAnswer(priced);
  return {
    whole: (priced) => {
      const whole = itemsOf(request, prompt);
      for (const piece of piecesOf(priced.completion.output)) whole.add(piece);
      const end = endOf(priced);
      return ended(priced, end, whole.written(writtenAs(end)));
    },
    opening: () => {
      const begun = response(beginning);
      return stateEvent("response.created", begun) + stateEvent("response.in_progress", begun);
    },
    piece: (piece) => items.add(piece).map(itemEvent).join(""),
    done: (priced) => {
      const end = endOf(priced);
      const last = items.end(writtenAs(end)).map(itemEvent).join("");
      return last + stateEvent(`response.${end.status}`, ended(priced, end, items.written(writtenAs(end))));
    },
    failed: (error) => stateEvent("response.failed", response({ ...failureOf(error, request), output: items.written("incomplete") })),
  };
}

const written = (type: string, data: string): string => `event: ${type}\ndata: ${data}\n\n`;

function itemsOf(
  request: GatewayRequest,
  { accountId, toolNames, wantsEncrypted, options, deliversAtEnd, model }: ResponsesPrompt,
): ResponseOutput {
  if (deliversAtEnd) return new CompactionOutput({ accountId, id: request.id }, model.routes[0]);
  const showsSummary = options.reasoningSummary !== undefined;
  return new OutputItems({ accountId, id: request.id, names: toolNames, wantsEncrypted, showsSummary });
}

interface ResponseState {
  status: "in_progress" | "completed" | "incomplete" | "failed";
  completed_at: number | null;
  error: object | null;
  incomplete_details: { reason: string } | null;
  output: object[];
}

const beginning: ResponseState = { status: "in_progress", completed_at: null, error: null, incomplete_details: null, output: [] };

type End = Pick<ResponseState, "error" | "incomplete_details"> & { status: "completed" | "incomplete" | "failed" };

/** Items of an answer that did not come to its end are incomplete. */
const writtenAs = ({ status }: End) => (status === "completed" ? status : "incomplete");

function endOfAnswer({ completion }: PricedCompletion): End {
  const { finish } = completion.output;
  if (finish === "length") return { status: "incomplete", error: null, incomplete_details: { reason: "max_output_tokens" } };
  if (finish === "content_filter") return { status: "incomplete", error: null, incomplete_details: { reason: "content_filter" } };
  return { status: "completed", error: null, incomplete_details: null };
}

/** A call that was charged and brought nothing: the response says why, as an answer that is kept and sent again does. */
function endOfMissingSummary(
  request: GatewayRequest,
  { model }: ResponsesPrompt,
  { completion, inputCost, outputCost }: PricedCompletion,
): End | null {
  const cost = { inputCost, outputCost, totalCost: inputCost + outputCost };
  const error = missingSummary(model, { output: completion.output, cost });
  if (error) request.facts.brokeOff = error.code;
  return error && failureOf(error, request);
}

/** The error of a response that failed: OpenAI's two fields, and ours. */
function failureOf(error: AppError, request: GatewayRequest): Omit<ResponseState, "output" | "status"> & { status: "failed" } {
  const body = JSON.parse(chatErrorBody(error, request.id)) as { error: object };
  return { status: "failed", error: body.error, incomplete_details: null, completed_at: null };
}

/** Written field by field: most of a response is the same for every answer, and JSON.stringify would walk through all of it. */
const stateText = ({ status, completed_at, error, incomplete_details, output }: ResponseState): string =>
  `"status":"${status}","completed_at":${completed_at},"error":${JSON.stringify(error)},` +
  `"incomplete_details":${JSON.stringify(incomplete_details)},"output":${JSON.stringify(output)}`;

/** Fields of a response that repeat its request, or have one value here. */
function echoText({ model, body, maxOutputTokens, options, toolEcho }: ResponsesPrompt): string {
  const { reasoning, text } = body;
  const limit = body.max_output_tokens == null ? null : maxOutputTokens;
  const format = text?.format ? JSON.stringify(text.format) : `{"type":"text"}`;
  return (
    `"model":${JSON.stringify(model.id)},"background":false,"instructions":${JSON.stringify(body.instructions ?? null)},` +
    `"max_output_tokens":${limit},"max_tool_calls":null,"metadata":${JSON.stringify(body.metadata ?? {})},` +
    `"parallel_tool_calls":${body.parallel_tool_calls ?? true},"previous_response_id":null,` +
    `"reasoning":{"effort":${JSON.stringify(reasoning?.effort ?? null)},"summary":${JSON.stringify(readSummary(reasoning) ?? null)}},` +
    `"service_tier":"default","store":false,"temperature":${options.temperature ?? null},` +
    `"text":{"format":${format},"verbosity":"${text?.verbosity ?? "medium"}"},` +
    `"tool_choice":${JSON.stringify(body.tool_choice ?? "auto")},"tools":${JSON.stringify(toolEcho)},` +
    // Nothing is ever cut from a conversation here, whatever the request allows.
    `"top_p":${options.topP ?? null},"truncation":"disabled","user":null`
  );
}

function usageText(priced: PricedCompletion): string {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, cacheWrite1hTokens, reasoningTokens } = priced.completion.usage;
  const written = cacheWriteTokens + cacheWrite1hTokens;
  return (
    `{"input_tokens":${inputTokens},"input_tokens_details":{"cached_tokens":${cachedInputTokens},"cache_write_tokens":${written}},` +
    `"output_tokens":${outputTokens},"output_tokens_details":{"reasoning_tokens":${reasoningTokens}},` +
    `"total_tokens":${inputTokens + outputTokens},${costFields(priced)}}`
  );
}

function oursText({ inputCost, outputCost }: PricedCompletion, { clippedTo }: ResponsesPrompt, payment: PaymentFacts | null): string {
  const clipped = clippedTo === undefined ? "" : `,"clippedTo":${clippedTo}`;
  return payment === null ? clipped : `${clipped},"payment":${writeJson(paymentBody(payment, nanoUsd(inputCost + outputCost)))}`;
}
