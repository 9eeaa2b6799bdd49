// Writes responses, whole and as their events. Source: platform.openai.com/docs/api-reference/responses-streaming (read 2026-11-26).

import { encryptReasoning } from "../thought-signature";
import type { AnsweredCall, Frame, ResponsesAsked, SimulatedAnswer, SimulatedCall, TokenCounts } from "../vendor";

type Item = Record<string, unknown>;

export function writeResponse(answer: SimulatedAnswer, call: SimulatedCall): string {
  return JSON.stringify(response(answer, call, "ended"));
}

/** What a response says once it failed after its 200. */
export const failedResponse = (message: string): string =>
  JSON.stringify({ object: "response", status: "failed", output: [], error: { code: "server_error", message }, usage: null });

export const errorEvent = (message: string): string =>
  `event: error\ndata: ${JSON.stringify({ type: "error", code: "server_error", message, param: null, sequence_number: 2 })}\n\n`;

export function* writeEvents(answer: SimulatedAnswer, call: SimulatedCall): Generator<Frame> {
  let sequence = 0;
  const frame = (type: string, fields: object, isDelta = false): Frame => ({
    text: `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`,
    isDelta,
  });
  yield frame("response.created", { response: response(answer, call, "in_progress") });
  yield frame("response.in_progress", { response: response(answer, call, "in_progress") });
  let output_index = 0;
  if (hasReasoning(answer)) {
    yield* reasoningEvents(frame, { item: reasoningItem(answer, asked(call)), output_index, summarizes: asked(call).summarizes });
    output_index += 1;
  }
  if (hasMessage(answer)) {
    yield* messageEvents(frame, answer, output_index);
    output_index += 1;
  }
  for (const toolCall of answer.toolCalls) {
    yield* callEvents(frame, toolCall, output_index);
    output_index += 1;
  }
  const ended = response(answer, call, "ended");
  yield frame(`response.${ended.status as string}`, { response: ended });
}

type WriteFrame = (type: string, fields: object, isDelta?: boolean) => Frame;

function* reasoningEvents(
  frame: WriteFrame,
  { item, output_index, summarizes }: { item: Item; output_index: number; summarizes: boolean },
): Generator<Frame> {
  const at = { item_id: item.id, output_index, summary_index: 0 };
  yield frame("response.output_item.added", { output_index, item: { ...item, summary: [], encrypted_content: undefined } });
  if (summarizes) {
    const [part] = item.summary as { type: string; text: string }[];
    const text = part?.text ?? "";
    yield frame("response.reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } });
    yield frame("response.reasoning_summary_text.delta", { ...at, delta: text });
    yield frame("response.reasoning_summary_text.done", { ...at, text });
    yield frame("response.reasoning_summary_part.done", { ...at, part });
  }
  yield frame("response.output_item.done", { output_index, item });
}

function* messageEvents(frame: WriteFrame, answer: SimulatedAnswer, output_index: number): Generator<Frame> {
  const item = messageItem(answer);
  const at = { item_id: item.id, output_index, content_index: 0 };
  const part = (text: string) => ({ type: "output_text", annotations: [], logprobs: [], text });
  const whole = answer.pieces.join("");
  yield frame("response.output_item.added", { output_index, item: { ...item, status: "in_progress", content: [] } });
  yield frame("response.content_part.added", { ...at, part: part("") });
  for (const piece of answer.pieces) yield frame("response.output_text.delta", { ...at, delta: piece, logprobs: [] }, true);
  yield frame("response.output_text.done", { ...at, text: whole, logprobs: [] });
  yield frame("response.content_part.done", { ...at, part: part(whole) });
  yield frame("response.output_item.done", { output_index, item });
}

function* callEvents(frame: WriteFrame, call: AnsweredCall, output_index: number): Generator<Frame> {
  const item = callItem(call);
  const at = { item_id: item.id, output_index };
  const [events, field] = call.isCustom ? ["response.custom_tool_call_input", "input"] : ["response.function_call_arguments", "arguments"];
  yield frame("response.output_item.added", { output_index, item: { ...item, status: "in_progress", [field]: "" } });
  for (const delta of call.pieces) yield frame(`${events}.delta`, { ...at, delta }, true);
  yield frame(`${events}.done`, { ...at, [field]: call.pieces.join("") });
  yield frame("response.output_item.done", { output_index, item });
}

const hasReasoning = ({ thoughts }: SimulatedAnswer): boolean => thoughts.length > 0;
const hasMessage = ({ pieces, toolCalls }: SimulatedAnswer): boolean => pieces.length > 0 || toolCalls.length === 0;

function asked({ responses }: SimulatedCall): ResponsesAsked {
  if (responses === undefined) throw new Error("the call came over chat completions");
  return responses;
}

function response(answer: SimulatedAnswer, call: SimulatedCall, state: "in_progress" | "ended"): Item {
  const isCut = answer.finish === "length" || answer.finish === "filtered";
  const ended = isCut ? "incomplete" : "completed";
  const isOpen = state === "in_progress";
  return {
    id: `resp_${answer.id}`,
    object: "response",
    created_at: answer.createdAtSeconds,
    status: isOpen ? "in_progress" : ended,
    completed_at: isOpen || isCut ? null : answer.createdAtSeconds,
    error: null,
    incomplete_details: isOpen || !isCut ? null : { reason: answer.finish === "length" ? "max_output_tokens" : "content_filter" },
    model: answer.model,
    output: isOpen ? [] : outputOf(answer, call),
    usage: isOpen || answer.usage === null ? null : usageOf(answer.usage),
    user: null,
    ...asked(call).echo,
  };
}

const outputOf = (answer: SimulatedAnswer, call: SimulatedCall): Item[] => [
  ...(hasReasoning(answer) ? [reasoningItem(answer, asked(call))] : []),
  ...(hasMessage(answer) ? [messageItem(answer)] : []),
  ...answer.toolCalls.map(callItem),
];

function reasoningItem({ id, model, thoughts }: SimulatedAnswer, { encryptsReasoning, summarizes }: ResponsesAsked): Item {
  const thought = thoughts.join("");
  return {
    id: `rs_${id}`,
    type: "reasoning",
    summary: summarizes ? [{ type: "summary_text", text: thought }] : [],
    ...(encryptsReasoning && { encrypted_content: encryptReasoning(model, thought) }),
  };
}

function messageItem({ id, pieces, finish }: SimulatedAnswer): Item {
  return {
    id: `msg_${id}`,
    type: "message",
    status: finish === "length" ? "incomplete" : "completed",
    role: "assistant",
    content: [{ type: "output_text", annotations: [], logprobs: [], text: pieces.join("") }],
    phase: "final_answer",
  };
}

function callItem({ id, name, pieces, isCustom, isWhole }: AnsweredCall): Item {
  const call_id = `call_${id}`;
  const status = isWhole ? "completed" : "incomplete";
  return isCustom
    ? { id: `ctc_${id}`, type: "custom_tool_call", status, call_id, name, input: pieces.join("") }
    : { id: `fc_${id}`, type: "function_call", status, call_id, name, arguments: pieces.join("") };
}

const usageOf = ({ input, cached, written, writtenForHours, text, reasoning }: TokenCounts) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached, cache_write_tokens: written + writtenForHours },
  output_tokens: text + reasoning,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + text + reasoning,
});
