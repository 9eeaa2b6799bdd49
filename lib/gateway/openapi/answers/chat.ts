// The answer to a chat completion, whole or in chunks: OpenAI's own format, plus its cost.

import { z } from "zod";
import { count, modelName, requestId, usd } from "./fields";
import { payment } from "./payment";
import { clippedTo } from "./prompt";

const created = z.int().describe("When it was asked, in Unix seconds.");
const index = z.int().describe("Always 0.");
const logprobs = z.null().describe("Always null.");
const refusal = z.null().describe("Always null: a refusal is content.");
const callType = z.literal("function").describe("Always function.");

const chatUsage = z.object({
  prompt_tokens: count("Tokens that went in."),
  completion_tokens: count("Tokens that came out, reasoning included."),
  total_tokens: count("The sum of both."),
  prompt_tokens_details: z.object({ cached_tokens: count("Read from the provider's cache.") }).describe("Parts of the input."),
  completion_tokens_details: z.object({ reasoning_tokens: count("Spent on reasoning.") }).describe("Parts of the output."),
  cost: usd("What left your balance. OpenAI has no such field."),
  cost_details: z.object({ input_cost: usd("The input."), output_cost: usd("The output.") }).describe("Parts of the cost."),
});

const finishReason = z.enum(["stop", "length", "tool_calls", "content_filter"]);

const message = z.object({
  role: z.literal("assistant").describe("Always assistant."),
  content: z.string().nullable().describe("The model's answer. null when it only calls functions."),
  refusal,
  tool_calls: z
    .array(
      z.object({
        id: z.string().describe("What your function's answer names as tool_call_id."),
        type: callType,
        function: z
          .object({
            name: z.string().describe("Which function."),
            arguments: z.string().describe("JSON text as the model wrote it, which may not be valid."),
          })
          .describe("The call."),
      }),
    )
    .optional()
    .describe("Functions of yours that the model asks for."),
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
    .describe("Always one."),
  usage: chatUsage.describe("Tokens as the provider counted them, and what they cost."),
  clippedTo,
  payment: payment.optional(),
});

const deltaCall = z.object({
  index: z.int().describe("Which call of the answer, from 0."),
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
          delta: delta.describe("What is new."),
          logprobs,
          finish_reason: finishReason.nullable().describe("Why it ended; null until then."),
        }),
      )
      .describe("One; none in the chunk with usage."),
    usage: chatUsage.optional().describe("In the last chunk, when stream_options.include_usage asked for it."),
    clippedTo,
    payment: payment.optional(),
  })
  .describe("The data of an event of a chat stream.");
