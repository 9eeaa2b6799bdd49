// Writes messages and their streams as Anthropic does: named events, a ping after the first, usage at the start and the end.
// `input_tokens` leaves cached input out; `output_tokens` includes thinking.
// Source: docs.anthropic.com/en/api/messages, docs.anthropic.com/en/docs/build-with-claude/streaming.

import { signThought } from "../thought-signature";
import { readArguments } from "../tool-calls";
import type { AnsweredCall, Frame, SimulatedAnswer, TokenCounts } from "../vendor";

const STOP_REASONS = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens", filtered: "refusal" } as const;

export function writeMessage(answer: SimulatedAnswer): string {
  const text = answer.pieces.join("");
  const content = [
    ...(answer.thoughts.length > 0 ? [{ type: "thinking", thinking: answer.thoughts.join(""), signature: signatureOf(answer) }] : []),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...answer.toolCalls.map((call) => ({ ...callBlock(call), input: readArguments(call) })),
  ];
  return JSON.stringify({
    ...head(answer),
    content,
    ...stopReason(answer),
    ...(answer.usage !== null && { usage: { ...inputUsage(answer.usage), ...outputUsage(answer.usage), service_tier: "standard" } }),
  });
}

export function* writeMessageEvents(answer: SimulatedAnswer): Generator<Frame> {
  const { usage } = answer;
  // The real API starts with about one output token counted; the last figure is authoritative.
  const startUsage =
    usage === null
      ? {}
      : { usage: { ...inputUsage(usage), output_tokens: Math.min(1, usage.text + usage.reasoning), service_tier: "standard" } };
  yield event("message_start", { message: { ...head(answer), content: [], stop_reason: null, stop_sequence: null, ...startUsage } });

  let index = 0;
  if (answer.thoughts.length > 0) {
    yield event("content_block_start", { index, content_block: { type: "thinking", thinking: "", signature: "" } });
    yield event("ping", {});
    for (const thinking of answer.thoughts) yield event("content_block_delta", { index, delta: { type: "thinking_delta", thinking } });
    yield event("content_block_delta", { index, delta: { type: "signature_delta", signature: signatureOf(answer) } });
    yield event("content_block_stop", { index });
    index++;
  }
  if (answer.pieces.length > 0) {
    yield event("content_block_start", { index, content_block: { type: "text", text: "" } });
    if (index === 0) yield event("ping", {});
    for (const text of answer.pieces) yield event("content_block_delta", { index, delta: { type: "text_delta", text } }, true);
    yield event("content_block_stop", { index });
    index++;
  }
  for (const call of answer.toolCalls) {
    yield* callEvents(call, index);
    index++;
  }
  yield event("message_delta", {
    delta: stopReason(answer),
    ...(usage !== null && { usage: { ...inputUsage(usage), ...outputUsage(usage) } }),
  });
  yield event("message_stop", {});
}

const signatureOf = ({ model, thoughts }: SimulatedAnswer): string => signThought(model, thoughts.join(""));

// The real API also opens a call with an empty piece.
function* callEvents(call: AnsweredCall, index: number): Generator<Frame> {
  yield event("content_block_start", { index, content_block: { ...callBlock(call), input: {} } });
  if (index === 0) yield event("ping", {});
  yield event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: "" } });
  for (const partial_json of call.pieces) {
    yield event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json } }, true);
  }
  yield event("content_block_stop", { index });
}

function callBlock({ id, name }: AnsweredCall) {
  return { type: "tool_use", id: `toolu_01${id.slice(0, 22)}`, name };
}

function stopReason({ finish, stoppedBy }: SimulatedAnswer) {
  return { stop_reason: stoppedBy === null ? STOP_REASONS[finish] : "stop_sequence", stop_sequence: stoppedBy };
}

/** One server-sent event in Anthropic's framing: its type is both the event name and a field of the body. */
export function event(type: string, fields: object, isDelta = false): Frame {
  return { text: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`, isDelta };
}

function head(answer: SimulatedAnswer) {
  return { id: `msg_01${answer.id.slice(0, 22)}`, type: "message", role: "assistant", model: answer.model };
}

function inputUsage({ input, cached, written, writtenForHours }: TokenCounts) {
  return {
    input_tokens: input - cached - written - writtenForHours,
    cache_creation_input_tokens: written + writtenForHours,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: writtenForHours },
    cache_read_input_tokens: cached,
  };
}

function outputUsage({ text, reasoning }: TokenCounts) {
  return { output_tokens: text + reasoning, ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }) };
}
