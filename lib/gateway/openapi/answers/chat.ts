// The answer to a chat completion, whole or in chunks: OpenAI's own format, plus its cost.

import { z } from "zod";
import { count, modelName, requestId, usd } from "./fields";
import { payment } from "./payment";
import { clippedTo } from "./prompt";

const created = z.int().describe("When the request was made, Unix seconds.");
const index = z.int().describe("Always 0.");
const logprobs = z.null().describe("Always null.");
const refusal = z.null().describe("Always null: refusals are in content.");
const callType = z.literal("function").describe("Always function.");

const chatUsage = z.object({
  prompt_tokens: count("Input tokens."),
  completion_tokens: count("Output tokens, including reasoning."),
  total_tokens: count("Input plus output tokens."),
  prompt_tokens_details: z
    .object({ cached_tokens: count("Input tokens read from the provider's cache.") })
    .describe("Details of the input."),
  completion_tokens_details: z.object({ reasoning_tokens: count("Output tokens spent on reasoning.") }).describe("Details of the output."),
  cost: usd("What you were charged. Not an OpenAI field."),
  cost_details: z.object({ input_cost: usd("Cost of the input."), output_cost: usd("Cost of the output.") }).describe("Parts of the cost."),
});

const finishReason = z.enum(["stop", "length", "tool_calls", "content_filter"]);

const message = z.object({
  role: z.literal("assistant").describe("Always assistant."),
  content: z.string().nullable().describe("The model's answer; null if it only calls functions."),
  refusal,
  tool_calls: z
    .array(
      z.object({
        id: z.string().describe("Send it back as tool_call_id with the function's result."),
        type: callType,
        function: z
          .object({
            name: z.string().describe("The function's name."),
            arguments: z.string().describe("Arguments as JSON text. The model may write invalid JSON."),
          })
          .describe("The call."),
      }),
    )
    .optional()
    .describe("Function calls for your code to run."),
});

export const chatCompletion = z.object({
  id: requestId,
  object: z.literal("chat.completion").describe("Always chat.completion."),
  created,
  model: modelName,
  choices: z
    .array(
      z.object({
        index,
        message: message.describe("The answer."),
        logprobs,
        finish_reason: finishReason.describe("Why it ended."),
      }),
    )
    .describe("Always exactly one."),
  usage: chatUsage.describe("Token counts from the provider, and the cost."),
  clippedTo,
  payment: payment.optional(),
});

const deltaCall = z.object({
  index: z.int().describe("Index of the call in the answer, from 0."),
  id: z.string().optional().describe("In the first piece of a call."),
  type: callType.optional(),
  function: z
    .object({
      name: z.string().optional().describe("In the first piece of a call."),
      arguments: z.string().describe("The next piece of the JSON text."),
    })
    .describe("The call."),
});

const delta = z.object({
  role: z.literal("assistant").optional().describe("In the first chunk."),
  content: z.string().optional().describe("The next piece of the answer."),
  refusal: refusal.optional(),
  tool_calls: z.array(deltaCall).optional().describe("Pieces of function calls."),
});

export const chatChunk = z
  .object({
    id: requestId,
    object: z.literal("chat.completion.chunk").describe("Always chat.completion.chunk."),
    created,
    model: modelName,
    choices: z
      .array(
        z.object({
          index,
          delta: delta.describe("The new part."),
          logprobs,
          finish_reason: finishReason.nullable().describe("Why it ended; null until then."),
        }),
      )
      .describe("Exactly one, or none in the chunk with usage."),
    usage: chatUsage.optional().describe("In the last chunk, if stream_options.include_usage is true."),
    clippedTo,
    payment: payment.optional(),
  })
  .describe("One event of a chat stream.");
