// Writes chat completions and their streams for the three vendors of this wire format. A dialect says where they differ.
// Source: platform.openai.com/docs/api-reference/chat-streaming, docs.x.ai, api-docs.deepseek.com/api/create-chat-completion.

import type { Frame, SimulatedAnswer, SimulatedCall, TokenCounts } from "../vendor";

export interface Dialect {
  idPrefix: string;
  /** Fields of every reply and chunk beside those that all three share. */
  extras: Record<string, unknown>;
  /** DeepSeek and xAI show the reasoning as text, OpenAI only counts it. */
  showsReasoning: boolean;
  /** `chunk`: a chunk of its own without choices. `finish`: on the chunk that ends the answer. */
  usageComesWith: "chunk" | "finish";
  usage(counts: TokenCounts): object;
  /** Whether the last line before the end says `logprobs`, `refusal`, as OpenAI's does. */
  namesAbsentFields: boolean;
}

const FINISH_REASONS = { stop: "stop", length: "length", filtered: "content_filter" } as const;

export function writeCompletion(answer: SimulatedAnswer, dialect: Dialect): string {
  const message = {
    role: "assistant",
    content: answer.pieces.join(""),
    ...(dialect.showsReasoning && answer.thoughts.length > 0 && { reasoning_content: answer.thoughts.join("") }),
    ...(dialect.namesAbsentFields && { refusal: null, annotations: [] }),
  };
  return JSON.stringify({
    ...head(answer, dialect, "chat.completion"),
    choices: [{ index: 0, message, ...(dialect.namesAbsentFields && { logprobs: null }), finish_reason: FINISH_REASONS[answer.finish] }],
    ...(answer.usage !== null && { usage: dialect.usage(answer.usage) }),
    ...dialect.extras,
  });
}

export function* writeChunks(answer: SimulatedAnswer, call: SimulatedCall, dialect: Dialect): Generator<Frame> {
  const usage = call.wantsUsage && answer.usage !== null ? dialect.usage(answer.usage) : null;
  const usageInChunk = dialect.usageComesWith === "chunk";
  // Everything but the delta is the same in each chunk, so it is written once.
  const start = JSON.stringify({ ...head(answer, dialect, "chat.completion.chunk"), ...dialect.extras }).slice(0, -1);
  const absent = dialect.namesAbsentFields ? ',"logprobs":null' : "";
  const noUsage = usage === null ? "" : ',"usage":null';
  const chunk = (delta: object) =>
    `data: ${start},"choices":[{"index":0,"delta":${JSON.stringify(delta)}${absent},"finish_reason":null}]${noUsage}}\n\n`;

  yield { text: chunk({ role: "assistant", content: "", ...(dialect.namesAbsentFields && { refusal: null }) }), isDelta: false };
  if (dialect.showsReasoning) {
    for (const thought of answer.thoughts) yield { text: chunk({ content: null, reasoning_content: thought }), isDelta: false };
  }
  for (const piece of answer.pieces) yield { text: chunk({ content: piece }), isDelta: true };

  const end = `${start},"choices":[{"index":0,"delta":{}${absent},"finish_reason":"${FINISH_REASONS[answer.finish]}"}]`;
  const endUsage = usage === null ? "" : `,"usage":${usageInChunk ? "null" : JSON.stringify(usage)}`;
  yield { text: `data: ${end}${endUsage}}\n\n`, isDelta: false };
  if (usage !== null && usageInChunk) yield { text: `data: ${start},"choices":[],"usage":${JSON.stringify(usage)}}\n\n`, isDelta: false };
  yield { text: "data: [DONE]\n\n", isDelta: false };
}

function head(answer: SimulatedAnswer, dialect: Dialect, object: string) {
  return { id: `${dialect.idPrefix}${answer.id}`, object, created: answer.createdAtSeconds, model: answer.model };
}
