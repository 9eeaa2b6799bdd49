// The answer of OpenAI's Responses, whole or in events: OpenAI's own format, plus its cost.

import { z } from "zod";
import { count, modelName, requestId, usd } from "./fields";
import { payment } from "./payment";
import { clippedTo } from "./prompt";

const usage = z.object({
  input_tokens: count("Input tokens."),
  input_tokens_details: z
    .object({ cached_tokens: count("Read from the provider's cache."), cache_write_tokens: count("Written to the provider's cache.") })
    .describe("Breakdown of the input."),
  output_tokens: count("Output tokens, including reasoning."),
  output_tokens_details: z.object({ reasoning_tokens: count("Spent on reasoning.") }).describe("Breakdown of the output."),
  total_tokens: count("Input plus output tokens."),
  cost: usd("The amount charged. Not in OpenAI's API."),
  cost_details: z
    .object({ input_cost: usd("Cost of the input."), output_cost: usd("Cost of the output.") })
    .describe("Breakdown of the cost."),
});

const item = z
  .looseObject({
    type: z
      .enum(["message", "reasoning", "function_call", "custom_tool_call", "tool_search_call", "compaction"])
      .describe("The kind of item."),
    id: z.string().describe("The item's ID."),
  })
  .describe("An item, with OpenAI's fields of its type.");

const always = (value: string) => `Always ${value}.`;

export const responseAnswer = z.object({
  id: requestId,
  object: z.literal("response").describe(always("response")),
  created_at: z.int().describe("When the request arrived, Unix seconds."),
  completed_at: z.int().nullable().describe("When it ended, Unix seconds."),
  status: z.enum(["in_progress", "completed", "incomplete", "failed"]).describe("The state of the response."),
  error: z.looseObject({}).nullable().describe("Why it failed, as in an error response. null otherwise."),
  incomplete_details: z
    .object({ reason: z.enum(["max_output_tokens", "content_filter"]).describe("Why the answer was cut.") })
    .nullable()
    .describe("Why it is incomplete. null otherwise."),
  output: z
    .array(item)
    .describe(
      "Messages, reasoning and calls, in order; for a compaction, the compaction item alone. Send them back in input with the next turn.",
    ),
  usage: usage.nullable().describe("The provider's token counts, and their cost. null until the end."),
  model: modelName,
  background: z.literal(false).describe(always("false")),
  instructions: z.string().nullable().describe("As in the request."),
  max_output_tokens: z.int().nullable().describe("As in the request."),
  max_tool_calls: z.null().describe(always("null")),
  metadata: z.record(z.string(), z.string()).describe("As in the request."),
  parallel_tool_calls: z.boolean().describe("As in the request."),
  previous_response_id: z.null().describe(always("null")),
  reasoning: z.looseObject({}).describe("As in the request."),
  service_tier: z.literal("default").describe(always("default")),
  store: z.literal(false).describe(always("false")),
  temperature: z.number().nullable().describe("As in the request."),
  text: z.looseObject({}).describe("As in the request."),
  tool_choice: z.unknown().describe("As in the request."),
  tools: z.array(z.looseObject({})).describe("The tools passed to the model."),
  top_p: z.number().nullable().describe("As in the request."),
  truncation: z.literal("disabled").describe(always("disabled")),
  user: z.null().describe(always("null")),
  clippedTo,
  payment: payment.optional(),
});

export const responseEvent = z
  .looseObject({
    type: z
      .string()
      .regex(/^response\./)
      .describe("The event's name, as in OpenAI's API."),
    sequence_number: z.int().describe("The event's position in the stream, from 0."),
  })
  .describe("The data of an event of a response stream, with OpenAI's fields of its type.");
