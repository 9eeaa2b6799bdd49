// Answers of POST /api/v1/responses in OpenAI's format, whole or as events with sequence numbers. The id is the request's own, so that its
// receipt can be looked up; `usage.cost` is the amount charged, in USD; `payment` and `clippedTo` are our fields, as in a chat completion.

import type { AppError } from "@/lib/base/errors";
import { writeJson } from "@/lib/base/json";
import { nanoUsd } from "@/lib/base/money";
import { chatErrorBody } from "../chat/errors";
import type { GatewayRequest } from "../http/request";
import { type ChargeReceipt, piecesOf } from "../prompt/completion";
import type { ReplyWriter } from "../prompt/prompt-body";
import type { PaymentFacts } from "../proof/facts";
import { paymentBody } from "../proof/payment-body";
import { type ResponsesPrompt, readSummary } from "./body";
import { type ItemEvent, OutputItems } from "./output-items";

export function responsesWriter(request: GatewayRequest, prompt: ResponsesPrompt, payment: PaymentFacts | null = null): ReplyWriter {
  const items = itemsOf(request, prompt);
  const createdAt = Math.floor(request.arrivedAtMs / 1000);
  const echo = JSON.stringify(echoOf(prompt));
  let sequence = 0;
  const itemEvent = (event: ItemEvent): string => written(event.type, JSON.stringify({ ...event, sequence_number: sequence++ }));
  const stateEvent = (type: string, response: string): string =>
    written(type, `{"type":"${type}","sequence_number":${sequence++},"response":${response}}`);
  /** `usage` and what follows it have amounts of money, which JSON.stringify cannot write. */
  const response = (state: ResponseState, usage = `"usage":null`): string =>
    `${JSON.stringify({ id: request.id, object: "response", created_at: createdAt, ...state }).slice(0, -1)},${usage},${echo.slice(1)}`;
  const ended = (receipt: ChargeReceipt, output: object[]): string =>
    response({ ...endOf(receipt), completed_at: createdAt, output }, `"usage":${usageText(receipt)}${oursText(receipt, prompt, payment)}`);
  return {
    whole: (receipt) => {
      const whole = itemsOf(request, prompt);
      for (const piece of piecesOf(receipt.completion.output)) whole.add(piece);
      return ended(receipt, whole.written(endOf(receipt).status));
    },
    opening: () => {
      const begun = response(beginning);
      return stateEvent("response.created", begun) + stateEvent("response.in_progress", begun);
    },
    piece: (piece) => items.add(piece).map(itemEvent).join(""),
    done: (receipt) => {
      const { status } = endOf(receipt);
      const last = items.end(status).map(itemEvent).join("");
      return last + stateEvent(`response.${status}`, ended(receipt, items.written(status)));
    },
    failed: (error) => stateEvent("response.failed", response({ ...failureOf(error, request), output: items.written("incomplete") })),
  };
}

const written = (type: string, data: string): string => `event: ${type}\ndata: ${data}\n\n`;

const itemsOf = (request: GatewayRequest, { accountId, toolNames, wantsEncrypted, options }: ResponsesPrompt): OutputItems =>
  new OutputItems({
    accountId,
    id: request.id,
    names: toolNames,
    wantsEncrypted,
    showsSummary: options.reasoningSummary !== undefined,
  });

interface ResponseState {
  status: "in_progress" | "completed" | "incomplete" | "failed";
  completed_at: number | null;
  error: object | null;
  incomplete_details: { reason: string } | null;
  output: object[];
}

const beginning: ResponseState = { status: "in_progress", completed_at: null, error: null, incomplete_details: null, output: [] };

function endOf({
  completion,
}: ChargeReceipt): Pick<ResponseState, "error" | "incomplete_details"> & { status: "completed" | "incomplete" } {
  const { finish } = completion.output;
  if (finish === "length") return { status: "incomplete", error: null, incomplete_details: { reason: "max_output_tokens" } };
  if (finish === "content_filter") return { status: "incomplete", error: null, incomplete_details: { reason: "content_filter" } };
  return { status: "completed", error: null, incomplete_details: null };
}

/** The error of a broken stream: OpenAI's two fields, and ours. */
function failureOf(error: AppError, request: GatewayRequest): Omit<ResponseState, "output"> {
  const body = JSON.parse(chatErrorBody(error, request.id)) as { error: object };
  return { status: "failed", error: body.error, incomplete_details: null, completed_at: null };
}

/** Fields of a response that repeat its request, or have one value here. */
function echoOf({ model, body, maxOutputTokens, options, toolEcho }: ResponsesPrompt): object {
  return {
    model: model.id,
    background: false,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens == null ? null : maxOutputTokens,
    max_tool_calls: null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: readSummary(body.reasoning) ?? null },
    service_tier: "default",
    store: false,
    temperature: options.temperature ?? null,
    text: { format: body.text?.format ?? { type: "text" }, verbosity: body.text?.verbosity ?? "medium" },
    tool_choice: body.tool_choice ?? "auto",
    tools: toolEcho,
    top_p: options.topP ?? null,
    // Nothing is ever cut from a conversation here, whatever the request allows.
    truncation: "disabled",
    user: null,
  };
}

function usageText({ completion: { usage }, inputCost, outputCost }: ChargeReceipt): string {
  return writeJson({
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedInputTokens, cache_write_tokens: usage.cacheWriteTokens + usage.cacheWrite1hTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
    cost: nanoUsd(inputCost + outputCost),
    cost_details: { input_cost: inputCost, output_cost: outputCost },
  });
}

function oursText({ inputCost, outputCost }: ChargeReceipt, { clippedTo }: ResponsesPrompt, payment: PaymentFacts | null): string {
  const clipped = clippedTo === undefined ? "" : `,"clippedTo":${clippedTo}`;
  return payment === null ? clipped : `${clipped},"payment":${writeJson(paymentBody(payment, nanoUsd(inputCost + outputCost)))}`;
}
