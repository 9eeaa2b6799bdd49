// A whole Anthropic message, and what its parts mean, in a stream as well: text, tool calls, stop reason and token counts.

import { z } from "zod";
import { readFinishReason } from "../answer/finish";
import { failureInside } from "../http-failure";
import type { OnRequestId, ProviderEvent, ReasoningEvent, TokenUsage, ToolCallEvent } from "../types";
import { checkServiceTier, closeUsage, isRecord, malformed, parseJson, readJsonObject, readShape, tokenCountSchema } from "../wire-value";
import { readAnthropicProblem } from "./errors";

export const anthropicBlockSchema = z.object({
  type: z.string(),
  text: z.string().nullish(),
  id: z.string().nullish(),
  name: z.string().nullish(),
  input: z.unknown().optional(),
  thinking: z.string().nullish(),
  signature: z.string().nullish(),
  data: z.string().nullish(),
});

type AnthropicBlock = z.infer<typeof anthropicBlockSchema>;

export const anthropicUsageSchema = z.looseObject({
  input_tokens: tokenCountSchema,
  output_tokens: tokenCountSchema,
  cache_read_input_tokens: tokenCountSchema,
  cache_creation_input_tokens: tokenCountSchema,
  cache_creation: z.object({ ephemeral_5m_input_tokens: tokenCountSchema, ephemeral_1h_input_tokens: tokenCountSchema }).nullish(),
  output_tokens_details: z.object({ thinking_tokens: tokenCountSchema }).nullish(),
  service_tier: z.unknown().optional(),
});

export type AnthropicUsage = z.infer<typeof anthropicUsageSchema>;

const replySchema = z.object({
  id: z.unknown().optional(),
  content: z.array(anthropicBlockSchema),
  stop_reason: z.string().nullish(),
  stop_sequence: z.string().nullish(),
  usage: anthropicUsageSchema.nullish(),
});

/** @throws ProviderFailure malformed, or the kind of the error inside a 200 (rejected where it names none) */
export function readAnthropicReply(body: string, onRequestId?: OnRequestId): ProviderEvent[] {
  const parsed = parseJson(body, "the reply");
  if (isRecord(parsed) && parsed.error) throw failureInside(readAnthropicProblem(parsed), "rejected");
  const { id, content, stop_reason, stop_sequence, usage } = readShape(replySchema, parsed, "the reply");
  onRequestId?.(id);
  const events: ProviderEvent[] = [];
  let calls = 0;
  let thoughts = 0;
  for (const block of content) {
    const thought = readAnthropicThought(block, thoughts);
    if (thought) {
      events.push(thought);
      thoughts++;
    }
    const text = anthropicBlockText(block);
    if (text !== "") events.push({ type: "text", text });
    if (block.type === "tool_use") events.push(readAnthropicCall(block, calls++));
  }
  events.push(anthropicFinish(stop_reason, stop_sequence, usage));
  return events;
}

export function anthropicFinish(
  reason: string | null | undefined,
  sequence: string | null | undefined,
  usage: AnthropicUsage | null | undefined,
): ProviderEvent {
  checkServiceTier(usage?.service_tier);
  return {
    type: "finish",
    // `pause_turn` expects a continuation request, which we never send: https://docs.anthropic.com/en/api/handling-stop-reasons.
    reason: readFinishReason(reason),
    usage: readAnthropicUsage(usage),
    ...(sequence ? { stopSequence: sequence } : undefined),
  };
}

/** The thought in a block, or what a stream has of it at its start; undefined for other blocks. */
export function readAnthropicThought({ type, thinking, signature, data }: AnthropicBlock, index: number): ReasoningEvent | undefined {
  if (type === "thinking") return { type: "reasoning", kind: "thinking", index, text: thinking ?? "", data: signature ?? "" };
  return type === "redacted_thinking" ? { type: "reasoning", kind: "redacted", index, text: "", data: data ?? "" } : undefined;
}

/** Only text blocks are text; unknown block types are none of the answer. */
export function anthropicBlockText(block: Pick<AnthropicBlock, "type" | "text">): string {
  if (block.type !== "text") return "";
  if (typeof block.text !== "string") throw malformed("a text block has no text");
  return block.text;
}

/**
 * The call of a customer's function in a tool_use block; server-side tools use other block types.
 * @throws ProviderFailure malformed
 */
export function readAnthropicCall({ id, name, input }: AnthropicBlock, index: number): ToolCallEvent {
  if (!id || !name) throw malformed("a tool_use block has no id or no name");
  const given = readInput(input);
  if (!isRecord(given)) throw malformed("the input of a tool_use block is no object");
  return { type: "tool_call", index, id, name, arguments: writeInput(given) };
}

/** Compatible servers send none as null or an empty text, and others as the text of their JSON. */
function readInput(input: unknown): unknown {
  if (input === null || input === "") return {};
  return typeof input === "string" ? readJsonObject(input) : input;
}

function writeInput(input: Record<string, unknown>): string {
  try {
    return JSON.stringify(input);
  } catch {
    // JSON nested thousands of levels deep can be parsed, but not stringified again.
    throw malformed("the input of a tool_use block is nested too deep");
  }
}

/**
 * `input_tokens` excludes tokens read from or written to the cache, so the input is the sum of three counts
 * (https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching). output_tokens includes thinking. Null when the provider omitted
 * either of the two counts that are charged.
 */
export function readAnthropicUsage(usage: AnthropicUsage | null | undefined): TokenUsage | null {
  const input = usage?.input_tokens;
  const output = usage?.output_tokens;
  if (!usage || typeof input !== "number" || typeof output !== "number") return null;
  const cachedInputTokens = usage.cache_read_input_tokens ?? 0;
  // The sum of the two lifetimes; where only the sum is given, nobody asked for the hour.
  const cacheWrite1hTokens = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const written = Math.max(
    usage.cache_creation_input_tokens ?? 0,
    cacheWrite1hTokens + (usage.cache_creation?.ephemeral_5m_input_tokens ?? 0),
  );
  return closeUsage(
    {
      inputTokens: input + cachedInputTokens + written,
      outputTokens: output,
      cachedInputTokens,
      cacheWriteTokens: written - cacheWrite1hTokens,
      cacheWrite1hTokens,
      reasoningTokens: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
    usage,
  );
}

/**
 * Counts in a stream are cumulative: of each kind the largest counts. A provider of the same format may leave one out at the end, or send it
 * as zero there.
 */
export function mergeAnthropicUsage(earlier: AnthropicUsage | null | undefined, later: AnthropicUsage | null | undefined): AnthropicUsage {
  const [written, writtenLater] = [earlier?.cache_creation, later?.cache_creation];
  const [details, detailsLater] = [earlier?.output_tokens_details, later?.output_tokens_details];
  return {
    input_tokens: largest(earlier?.input_tokens, later?.input_tokens),
    output_tokens: largest(earlier?.output_tokens, later?.output_tokens),
    cache_read_input_tokens: largest(earlier?.cache_read_input_tokens, later?.cache_read_input_tokens),
    cache_creation_input_tokens: largest(earlier?.cache_creation_input_tokens, later?.cache_creation_input_tokens),
    cache_creation: {
      ephemeral_5m_input_tokens: largest(written?.ephemeral_5m_input_tokens, writtenLater?.ephemeral_5m_input_tokens),
      ephemeral_1h_input_tokens: largest(written?.ephemeral_1h_input_tokens, writtenLater?.ephemeral_1h_input_tokens),
    },
    output_tokens_details: { thinking_tokens: largest(details?.thinking_tokens, detailsLater?.thinking_tokens) },
    service_tier: later?.service_tier ?? earlier?.service_tier,
  };
}

const largest = (one: number | null | undefined, other: number | null | undefined): number | null | undefined =>
  typeof one === "number" && typeof other === "number" ? Math.max(one, other) : (other ?? one);
