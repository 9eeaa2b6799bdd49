// A whole response, and what its parts mean, in a stream as well: messages, refusals, calls, reasoning, how it ended and token counts.

import { z } from "zod";
import { type FinishReason, type OnRequestId, type ProviderEvent, ProviderFailure, type TokenUsage } from "../types";
import { checkServiceTier, closeUsage, isRecord, malformed, parseJson, readShape, tokenCountSchema } from "../wire-value";
import { responsesFailure } from "./errors";

const responsesUsageSchema = z.looseObject({
  input_tokens: tokenCountSchema,
  input_tokens_details: z
    .object({
      cached_tokens: tokenCountSchema,
      cache_write_tokens: tokenCountSchema,
      cache_write_tokens_details: z.object({ ttl_12h_tokens: tokenCountSchema }).nullish(),
    })
    .nullish(),
  output_tokens: tokenCountSchema,
  output_tokens_details: z.object({ reasoning_tokens: tokenCountSchema }).nullish(),
});

const partSchema = z.object({ type: z.string(), text: z.string().nullish(), refusal: z.string().nullish() });
const phaseSchema = z.enum(["commentary", "final_answer"]).nullish().catch(undefined);

/** An item of the output; hosted tools' items have fields that are not read. */
export const responsesItemSchema = z.object({
  type: z.string(),
  id: z.string().nullish(),
  content: z.array(partSchema).nullish(),
  phase: phaseSchema,
  call_id: z.string().nullish(),
  name: z.string().nullish(),
  // Some compatible servers send the object.
  arguments: z.union([z.string(), z.looseObject({}).transform((value) => JSON.stringify(value))]).nullish(),
  input: z.string().nullish(),
  summary: z.array(z.object({ text: z.string() })).nullish(),
  encrypted_content: z.string().nullish(),
});

export type ResponsesItem = z.infer<typeof responsesItemSchema>;

/** The end of a response, whole or as the last event of a stream. */
export const responsesEndSchema = z.object({
  id: z.unknown().optional(),
  status: z.string().nullish(),
  error: z.unknown().optional(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  usage: responsesUsageSchema.nullish(),
  service_tier: z.unknown().optional(),
});

type ResponsesEnd = z.infer<typeof responsesEndSchema>;

const replySchema = responsesEndSchema.extend({ output: z.array(responsesItemSchema) });

/** @throws ProviderFailure malformed, or the kind of the error inside a failed response */
export function readResponsesReply(body: string, onRequestId?: OnRequestId): ProviderEvent[] {
  const parsed = parseJson(body, "the reply");
  if (isRecord(parsed) && parsed.error) throw responsesFailure(parsed.error);
  const reply = readShape(replySchema, parsed, "the reply");
  onRequestId?.(reply.id);
  const events: ProviderEvent[] = [];
  const seen = new ItemCounts();
  for (const item of reply.output) events.push(...readItem(item, seen));
  events.push(finishEvent(reply, { calls: seen.calls, isRefused: reply.output.some(isRefusal) }));
  return events;
}

/** How many calls and reasoning blocks an answer had so far: their next index. */
export class ItemCounts {
  calls = 0;
  reasoning = 0;
}

function readItem(item: ResponsesItem, counts: ItemCounts): ProviderEvent[] {
  switch (item.type) {
    case "message": {
      const text = messageText(item);
      return text === "" ? [] : [{ type: "text", text, phase: item.phase ?? undefined }];
    }
    case "reasoning":
      return readReasoning(item, counts);
    case "function_call":
    case "custom_tool_call":
      return [{ type: "tool_call", index: counts.calls++, ...readCall(item), arguments: argumentsOf(item) }];
    default:
      return []; // a hosted tool's, which we never ask for
  }
}

/** A refusal is what the customer reads, and it is charged. */
export const messageText = ({ content }: ResponsesItem): string =>
  (content ?? []).map(({ text, refusal }) => text ?? refusal ?? "").join("");

export const isRefusal = ({ content }: ResponsesItem): boolean => (content ?? []).some(({ refusal }) => Boolean(refusal));

/** Nothing, where a model tells nothing of its reasoning and was not asked for it. */
function readReasoning(item: ResponsesItem, counts: ItemCounts): ProviderEvent[] {
  const { id, encrypted_content: data } = item;
  const text = thoughtText(item);
  if (text === "" && !data) return [];
  return [{ type: "reasoning", kind: "encrypted", index: counts.reasoning++, text, data: data ?? undefined, id: id ?? undefined }];
}

/**
 * The summary, or where there is none the thoughts themselves, which open models tell (`reasoning_text`: LM Studio, vLLM;
 * github.com/openai/openai-openapi, ReasoningItem).
 */
export const thoughtText = ({ summary, content }: ResponsesItem): string =>
  (summary && summary.length > 0 ? summary : (content ?? [])).map(({ text }) => text ?? "").join(BETWEEN_SUMMARIES);

/** The parts of a summary are paragraphs. */
export const BETWEEN_SUMMARIES = "\n\n";

/** @throws ProviderFailure malformed, when a call has no id or does not name its tool */
export function readCall({ call_id: id, name }: ResponsesItem): { id: string; name: string } {
  if (!id || !name) throw malformed("a tool call without its id or the name of its tool");
  return { id, name };
}

/** Of a custom tool the input is text, and here a field of an object. */
const argumentsOf = (item: ResponsesItem): string =>
  item.type === "custom_tool_call" ? JSON.stringify({ input: item.input ?? "" }) : (item.arguments ?? "");

/** @throws ProviderFailure malformed, when it has not ended; the failure that ended it */
export function finishEvent(
  end: ResponsesEnd,
  { calls, isRefused }: { calls: number; isRefused: boolean },
): Extract<ProviderEvent, { type: "finish" }> {
  checkServiceTier(end.service_tier);
  return { type: "finish", reason: finishReason(end, calls, isRefused), usage: readResponsesUsage(end.usage) };
}

function finishReason({ status, error, incomplete_details }: ResponsesEnd, calls: number, isRefused: boolean): FinishReason {
  switch (status) {
    case "completed":
      if (isRefused) return "content_filter";
      return calls > 0 ? "tool_calls" : "stop";
    case "incomplete": {
      const reason = incomplete_details?.reason;
      if (reason === "max_output_tokens") return "length";
      return reason === "content_filter" ? "content_filter" : "other";
    }
    case "failed":
      throw responsesFailure(error);
    case "cancelled":
      throw new ProviderFailure("unavailable", "the provider cancelled its answer", { accepted: true });
    default:
      throw malformed("a response that has not ended");
  }
}

/** Null when the provider omitted either of the two counts that are charged. */
export function readResponsesUsage(usage: ResponsesEnd["usage"]): TokenUsage | null {
  const inputTokens = usage?.input_tokens;
  const outputTokens = usage?.output_tokens;
  if (!usage || typeof inputTokens !== "number" || typeof outputTokens !== "number") return null;
  const forHours = usage.input_tokens_details?.cache_write_tokens_details?.ttl_12h_tokens ?? 0;
  return closeUsage(
    {
      inputTokens,
      outputTokens,
      cachedInputTokens: usage.input_tokens_details?.cached_tokens ?? 0,
      // The sum of two lifetimes, billed in place of plain input.
      cacheWriteTokens: Math.max(0, (usage.input_tokens_details?.cache_write_tokens ?? 0) - forHours),
      cacheWrite1hTokens: forHours,
      reasoningTokens: usage.output_tokens_details?.reasoning_tokens ?? 0,
    },
    usage,
  );
}
