// Every count in the usage types of the vendors' own SDKs is read into a count of ours, or excused with the reason. A count that a new
// version of an SDK adds fails to compile here until it is in one of the lists; the tests prove what the lists say.

import type { GoogleGenerativeAIProviderMetadata } from "@ai-sdk/google";
import type { MessageDeltaUsage, Usage } from "@anthropic-ai/sdk/resources/messages";
import type { CompletionUsage } from "openai/resources/completions";
import type { CreateEmbeddingResponse } from "openai/resources/embeddings";
import type { ResponseUsage } from "openai/resources/responses/responses";
import { expect, test } from "vitest";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import { anthropicFormat } from "./anthropic";
import { geminiFormat } from "./gemini";
import { openaiFormat } from "./openai";
import { embeddingFormat } from "./openai/embeddings";
import { responsesFormat } from "./openai-responses";
import type { TokenUsage, WireFormat } from "./types";
import { closeUsage, largestUsage } from "./wire-value";

/** The keys that a type names, without those of an index signature. */
type NamedKey<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: T[Key] } & string;

/** The path of each number in a type, objects and arrays in it included: `"total"`, `"details.cached"`, `"parts[].count"`. */
type NumericPath<T> = { [Key in NamedKey<T>]-?: PathBelow<Key, NonNullable<T[Key]>> }[NamedKey<T>];
type PathBelow<Key extends string, Value> = Value extends number | bigint
  ? Key
  : Value extends readonly (infer Item)[]
    ? `${Key}[].${NumericPath<NonNullable<Item>>}`
    : Value extends object
      ? `${Key}.${NumericPath<Value>}`
      : never;

/** The count of ours that a vendor's is read into, or why it is read into none. */
type Reading = keyof TokenUsage | `excused: ${string}`;

type Everything<SdkUsage> = Record<NumericPath<SdkUsage>, Reading>;

interface Sample {
  total: number;
  details?: { cached: number | null; name: string } | null;
  parts: { count?: number }[];
  [other: string]: unknown;
}

const total = "inputTokens";
const cached = "cachedInputTokens";
const count = "excused: for the test";
void ({ total, "details.cached": cached, "parts[].count": count } satisfies Everything<Sample>);
// @ts-expect-error a count inside an object is missing
void ({ total, "parts[].count": count } satisfies Everything<Sample>);
// @ts-expect-error a count inside an array is missing
void ({ total, "details.cached": cached } satisfies Everything<Sample>);
// @ts-expect-error a count with neither a name of ours nor an excuse
void ({ total: "sum", "details.cached": cached, "parts[].count": count } satisfies Everything<Sample>);
// @ts-expect-error a count that the type does not have
void ({ total, "details.cached": cached, "parts[].count": count, more: count } satisfies Everything<Sample>);

const noAudio = "excused: audio is refused in requests and never asked for in answers";
const noPrediction = "excused: requests carry no prediction, and it is part of the output";
const noHostedTools = "excused: requests never name hosted tools";
const rest = "excused: what the other counts leave of the sum";

const chat = {
  prompt_tokens: "inputTokens",
  completion_tokens: "outputTokens",
  total_tokens: "excused: the sum; tells whether reasoning lies beside the output",
  "prompt_tokens_details.cached_tokens": "cachedInputTokens",
  "prompt_tokens_details.cache_write_tokens": "cacheWriteTokens",
  "prompt_tokens_details.image_tokens": "imageTokens",
  "prompt_tokens_details.text_tokens": rest,
  "prompt_tokens_details.audio_tokens": noAudio,
  "completion_tokens_details.reasoning_tokens": "reasoningTokens",
  "completion_tokens_details.text_tokens": rest,
  "completion_tokens_details.audio_tokens": noAudio,
  "completion_tokens_details.accepted_prediction_tokens": noPrediction,
  "completion_tokens_details.rejected_prediction_tokens": noPrediction,
} satisfies Everything<CompletionUsage>;

const responses = {
  input_tokens: "inputTokens",
  output_tokens: "outputTokens",
  total_tokens: "excused: the sum",
  "input_tokens_details.cached_tokens": "cachedInputTokens",
  "input_tokens_details.cache_write_tokens": "cacheWriteTokens",
  "input_tokens_details.cache_write_tokens_details.ttl_30m_tokens": rest,
  "input_tokens_details.cache_write_tokens_details.ttl_12h_tokens": "cacheWrite1hTokens",
  "output_tokens_details.reasoning_tokens": "reasoningTokens",
} satisfies Everything<ResponseUsage>;

const anthropic = {
  input_tokens: "inputTokens",
  output_tokens: "outputTokens",
  cache_read_input_tokens: "cachedInputTokens",
  cache_creation_input_tokens: "cacheWriteTokens",
  "cache_creation.ephemeral_5m_input_tokens": "cacheWriteTokens",
  "cache_creation.ephemeral_1h_input_tokens": "cacheWrite1hTokens",
  "output_tokens_details.thinking_tokens": "reasoningTokens",
  "server_tool_use.web_search_requests": noHostedTools,
  "server_tool_use.web_fetch_requests": noHostedTools,
  // A stream's last event has some of the same.
} satisfies Everything<Usage> & Everything<MessageDeltaUsage>;

const gemini = {
  promptTokenCount: "inputTokens",
  toolUsePromptTokenCount: "inputTokens",
  candidatesTokenCount: "outputTokens",
  thoughtsTokenCount: "reasoningTokens",
  cachedContentTokenCount: "cachedInputTokens",
  "promptTokensDetails[].tokenCount": "imageTokens",
  "cacheTokensDetails[].tokenCount": "imageTokens",
  "candidatesTokensDetails[].tokenCount": "excused: answers are text alone",
  "toolUsePromptTokensDetails[].tokenCount": noHostedTools,
  totalTokenCount: "excused: the sum",
} satisfies Everything<NonNullable<GoogleGenerativeAIProviderMetadata["usageMetadata"]>>;

const embeddings = { prompt_tokens: "inputTokens", total_tokens: "excused: the sum" } satisfies Everything<CreateEmbeddingResponse.Usage>;

interface Reply {
  name: string;
  readings: Record<string, Reading>;
  format: Pick<WireFormat, "readReply">;
  /** A reply with that usage. */
  replyWith: (usage: object) => object;
}

const replies: Reply[] = [
  {
    name: "chat completions",
    readings: chat,
    format: openaiFormat,
    replyWith: (usage) => ({ choices: [{ message: { content: "Hi" }, finish_reason: "stop" }], usage }),
  },
  { name: "Responses", readings: responses, format: responsesFormat, replyWith: (usage) => ({ status: "completed", output: [], usage }) },
  {
    name: "Messages",
    readings: anthropic,
    format: anthropicFormat,
    replyWith: (usage) => ({ content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", usage }),
  },
  {
    name: "Gemini",
    readings: gemini,
    format: geminiFormat,
    replyWith: (usageMetadata) => ({ candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }], usageMetadata }),
  },
  {
    name: "embeddings",
    readings: embeddings,
    format: embeddingFormat({ inputs: ["Hi"], dimensions: undefined }),
    replyWith: (usage) => ({ data: [{ index: 0, embedding: "AAAA" }], usage }),
  },
];

/** Sums are the largest, and what has parts of its own is twice as large as they are, so that no count hides another. */
const sums = /^(prompt_tokens|completion_tokens|total_tokens|input_tokens|output_tokens|promptTokenCount|candidatesTokenCount)$/;
const withParts = /cache_write_tokens$|cache_creation_input_tokens$|^promptTokensDetails/;
const countAt = (path: string): number => (sums.test(path) ? 1_000 : withParts.test(path) ? 40 : 20);

function usageOf(paths: readonly string[], count: (path: string) => number): Record<string, unknown> {
  const usage: Record<string, unknown> = {};
  for (const path of paths) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    let holder = usage;
    for (const name of names) {
      const key = name.replace("[]", "");
      holder[key] ??= name.endsWith("[]") ? [{ modality: "IMAGE" }] : {};
      const inner = holder[key] as Record<string, unknown> | [Record<string, unknown>];
      holder = Array.isArray(inner) ? inner[0] : inner;
    }
    holder[last] = count(path);
  }
  return usage;
}

test.each(replies)("$name: each count that is mapped changes its count of ours, and no excused one changes any", (reply) => {
  const paths = Object.keys(reply.readings);
  const read = (raised?: string): TokenUsage | null | undefined => {
    const usage = usageOf(paths, (path) => countAt(path) + (path === raised ? 5 : 0));
    const end = reply.format.readReply(JSON.stringify(reply.replyWith(usage))).at(-1);
    return end?.type === "finish" ? end.usage : undefined;
  };
  const before = read();
  for (const [path, reading] of Object.entries(reply.readings)) {
    const after = read(path);
    if (reading.startsWith("excused: ")) expect(after, path).toEqual(before);
    else expect(after?.[reading as keyof TokenUsage], path).not.toBe(before?.[reading as keyof TokenUsage]);
  }
});

test("of kinds that exceed their side, reads of the cache count first, then writes for hours, for minutes, and images", () => {
  const sum = { ...noTokens, inputTokens: 100, outputTokens: 5, cacheWriteTokens: 90 };
  // A later report tells that what was written is kept for hours.
  expect(largestUsage(sum, { ...sum, cacheWriteTokens: 0, cacheWrite1hTokens: 90 })).toEqual({
    ...sum,
    cacheWriteTokens: 10,
    cacheWrite1hTokens: 90,
  });
  const all = { cachedInputTokens: 50, cacheWriteTokens: 30, cacheWrite1hTokens: 40, imageTokens: 20, reasoningTokens: 9 };
  expect(closeUsage({ ...sum, ...all }, {})).toEqual({ ...sum, ...all, cacheWriteTokens: 10, imageTokens: 0, reasoningTokens: 5 });
});
