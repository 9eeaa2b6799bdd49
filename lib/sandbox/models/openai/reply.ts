// Writes chat completions and their streams for the three vendors of this wire format. A dialect holds their differences.
// Source: platform.openai.com/docs/api-reference/chat/object, platform.openai.com/docs/api-reference/chat-streaming, docs.x.ai (usage,
// reasoning), api-docs.deepseek.com/api/create-chat-completion.

import type { AnsweredCall, Frame, SimulatedAnswer, SimulatedCall, TokenCounts } from "../vendor";

export interface Dialect {
  idPrefix: string;
  /** Additional fields of every reply and chunk. */
  extras: Record<string, unknown>;
  /** DeepSeek and xAI return the reasoning as text, OpenAI only counts it. */
  showsReasoning: boolean;
  /** `chunk`: a separate chunk without choices. `finish`: in the chunk that ends the answer. */
  usageComesWith: "chunk" | "finish";
  /** Whether a stream has usage that was not requested. */
  alwaysSendsUsage: boolean;
  usage(counts: TokenCounts): object;
  /** Whether the final chunk includes null fields `logprobs` and `refusal`, as OpenAI's does. */
  namesAbsentFields: boolean;
  /** In a stream xAI sends a tool call in one piece, the others its arguments token by token. */
  callsComeWhole: boolean;
  writeCallId(id: string, index: number): string;
}

const FINISH_REASONS = { stop: "stop", tool_calls: "tool_calls", length: "length", filtered: "content_filter" } as const;

export function writeCompletion(answer: SimulatedAnswer, dialect: Dialect): string {
  const message = {
    role: "assistant",
    content: contentOf(answer, dialect),
    ...(dialect.showsReasoning && answer.thoughts.length > 0 && { reasoning_content: answer.thoughts.join("") }),
    ...(answer.toolCalls.length > 0 && {
      tool_calls: answer.toolCalls.map((call, index) => writeCall(call, index, dialect)),
    }),
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
  const usage = (call.wantsUsage || dialect.alwaysSendsUsage) && answer.usage !== null ? dialect.usage(answer.usage) : null;
  const usageInChunk = dialect.usageComesWith === "chunk";
  // All chunks are equal except for the delta, so the rest is serialized once.
  const start = JSON.stringify({ ...head(answer, dialect, "chat.completion.chunk"), ...dialect.extras }).slice(0, -1);
  const absent = dialect.namesAbsentFields ? ',"logprobs":null' : "";
  const noUsage = usage === null ? "" : ',"usage":null';
  const chunk = (delta: object) =>
    `data: ${start},"choices":[{"index":0,"delta":${JSON.stringify(delta)}${absent},"finish_reason":null}]${noUsage}}\n\n`;

  const opening = answer.pieces.length > 0 ? "" : contentOf(answer, dialect);
  yield { text: chunk({ role: "assistant", content: opening, ...(dialect.namesAbsentFields && { refusal: null }) }), isDelta: false };
  if (dialect.showsReasoning) {
    for (const thought of answer.thoughts) yield { text: chunk({ content: null, reasoning_content: thought }), isDelta: false };
  }
  for (const piece of answer.pieces) yield { text: chunk({ content: piece }), isDelta: true };
  for (const { delta, isDelta } of callDeltas(answer, dialect)) yield { text: chunk({ tool_calls: [delta] }), isDelta };

  const end = `${start},"choices":[{"index":0,"delta":{}${absent},"finish_reason":"${FINISH_REASONS[answer.finish]}"}]`;
  const endUsage = usage === null ? "" : `,"usage":${usageInChunk ? "null" : JSON.stringify(usage)}`;
  yield { text: `data: ${end}${endUsage}}\n\n`, isDelta: false };
  if (usage !== null && usageInChunk) yield { text: `data: ${start},"choices":[],"usage":${JSON.stringify(usage)}}\n\n`, isDelta: false };
  yield { text: "data: [DONE]\n\n", isDelta: false };
}

// Each piece names its call by `index`; only the first piece has id and name.
function* callDeltas({ toolCalls }: SimulatedAnswer, dialect: Dialect): Generator<{ delta: object; isDelta: boolean }> {
  for (const [index, call] of toolCalls.entries()) {
    const isWhole = dialect.callsComeWhole;
    yield { delta: { index, ...writeCall(isWhole ? call : { ...call, pieces: [] }, index, dialect) }, isDelta: isWhole };
    if (isWhole) continue;
    for (const piece of call.pieces) yield { delta: { index, function: { arguments: piece } }, isDelta: true };
  }
}

function writeCall({ id, name, pieces }: AnsweredCall, index: number, dialect: Dialect) {
  return { id: dialect.writeCallId(id, index), type: "function", function: { name, arguments: pieces.join("") } };
}

/** For an answer with calls only, OpenAI sends null and the other vendors an empty string. */
function contentOf({ pieces, toolCalls }: SimulatedAnswer, dialect: Dialect): string | null {
  return pieces.length === 0 && toolCalls.length > 0 && dialect.namesAbsentFields ? null : pieces.join("");
}

function head(answer: SimulatedAnswer, dialect: Dialect, object: string) {
  return { id: `${dialect.idPrefix}${answer.id}`, object, created: answer.createdAtSeconds, model: answer.model };
}

// The differences of usage affect cost: xAI counts reasoning in addition to completion_tokens, OpenAI and DeepSeek within them; DeepSeek has
// its own names for cached input.

export function openaiUsage({ input, cached, written, writtenForHours, text, reasoning }: TokenCounts) {
  return {
    prompt_tokens: input,
    completion_tokens: text + reasoning,
    total_tokens: input + text + reasoning,
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written + writtenForHours, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  };
}

export function xaiUsage({ input, cached, text, reasoning }: TokenCounts) {
  return {
    prompt_tokens: input,
    completion_tokens: text,
    total_tokens: input + text + reasoning,
    prompt_tokens_details: { text_tokens: input, audio_tokens: 0, image_tokens: 0, cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
    num_sources_used: 0,
  };
}

export function deepseekUsage({ input, cached, text, reasoning }: TokenCounts) {
  return {
    prompt_tokens: input,
    completion_tokens: text + reasoning,
    total_tokens: input + text + reasoning,
    prompt_tokens_details: { cached_tokens: cached },
    ...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
    prompt_cache_hit_tokens: cached,
    prompt_cache_miss_tokens: input - cached,
  };
}
