// The answer to a message, whole or as events: Anthropic's own format, plus its cost.

import { z } from "zod";
import { type AnswerOf, count, modelName, usd } from "./fields";
import { payment } from "./payment";
import { clippedTo } from "./prompt";

const messageUsage = z.object({
  input_tokens: count("Input tokens that were neither read from nor written to a cache."),
  cache_creation_input_tokens: count("Input tokens written to the provider's cache."),
  cache_creation: z
    .object({
      ephemeral_5m_input_tokens: count("Kept for five minutes."),
      ephemeral_1h_input_tokens: count("Kept for an hour."),
    })
    .describe("How long they are kept."),
  cache_read_input_tokens: count("Input tokens read from the provider's cache."),
  output_tokens: count("Output tokens, including thinking."),
  service_tier: z.literal("standard").describe("Always standard."),
  cost: usd("What you were charged. Not an Anthropic field."),
  cost_details: z.object({ input_cost: usd("Cost of the input."), output_cost: usd("Cost of the output.") }).describe("Parts of the cost."),
});

export const message = z.object({
  id: z.string().describe("msg_ and the rest of the request ID."),
  type: z.literal("message").describe("Always message."),
  role: z.literal("assistant").describe("Always assistant."),
  model: modelName,
  content: z
    .array(z.looseObject({ type: z.enum(["text", "thinking", "redacted_thinking", "tool_use"]).describe("The kind of block.") }))
    .describe("Anthropic's blocks. Send thinking and redacted_thinking back unchanged with a tool's result."),
  stop_reason: z.enum(["end_turn", "max_tokens", "stop_sequence", "tool_use", "refusal"]).describe("Why it ended."),
  stop_sequence: z.string().nullable().describe("The stop sequence that ended it, if the provider reports it."),
  usage: messageUsage.describe("Token counts from the provider, and the cost."),
  clippedTo,
  payment: payment.optional(),
});

export const messageEvent = z
  .looseObject({
    type: z
      .enum([
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "ping",
        "error",
      ])
      .describe(
        "The kind of event. Token counts and cost come with message_delta; message_start has the input tokens if the provider counts them first.",
      ),
  })
  .describe("One event of a message stream, in Anthropic's format.");

export const tokenCount = z.object({
  input_tokens: count("Input tokens of the request."),
  estimated: z
    .literal(true)
    .optional()
    .describe(
      "true if the count is our estimate, because the model's provider can't count in advance. Otherwise absent. Not an Anthropic field.",
    ),
});

export type TokenCount = AnswerOf<typeof tokenCount>;
