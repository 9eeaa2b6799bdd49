// The answers to a prompt, to a quote, and of the models list.

import { z } from "zod";
import { cost } from "@/lib/base/errors/detail-fields";
import {
  type AnswerOf,
  count,
  currency,
  modelName,
  pricePerToken,
  priceVersion,
  requestId,
  tokenKind,
  usage,
  usd,
  whenLeft,
} from "./fields";
import { payment } from "./payment";

/** Of an answer whose output limit was lowered. */
export const clippedTo = z
  .int()
  .min(1)
  .optional()
  .describe("The output limit, if it was lowered to fit your balance or payment, the key's spending limit or maxCost. Otherwise absent.");

export const promptAnswer = z.object({
  success: z.literal(true).describe("Always true. Errors have a different status code."),
  text: z.string().describe("The model's answer."),
  model: modelName,
  usage,
  cost,
  requestId,
  clippedTo,
  payment: payment.optional(),
});

export const promptDelta = z.object({ text: z.string().describe("The next piece of the answer.") }).describe("One delta event.");

export const quote = z.object({
  model: z.string().describe("The model's ID."),
  inputTokens: count("Upper bound of the input tokens."),
  maxOutputTokens: count("Maximum output tokens."),
  maxReasoningTokens: count("Maximum reasoning tokens beyond maxOutputTokens; 0 for most models."),
  ceiling: usd("Maximum cost of the request, which would be reserved."),
  expected: usd("Estimated cost, assuming half of the allowed output; never above ceiling."),
  available: usd("The account's available balance."),
  covered: z.boolean().describe("Whether available covers the ceiling."),
  paymentCents: z.int().min(1).describe("Minimum amount of a signed payment for this request, USDC cents."),
  affordableMaxTokens: count("The largest maxTokens that available covers; 0 if none."),
  capLeft: z
    .number()
    .brand<"USD">()
    .nullable()
    .describe("What remains of the key's spending limit in this period, USD; null without a limit."),
  clippedTo: z
    .int()
    .min(1)
    .nullable()
    .describe("The output limit with clipToBalance; null if even the minimum does not fit and the request would be refused."),
  withinMaxCost: z.boolean().describe("Whether the ceiling is within maxCost; true without maxCost."),
  priceVersion,
  pricing: pricePerToken,
  whenLeft,
});

export type Quote = AnswerOf<typeof quote>;

export const model = z.object({
  id: z.string().describe("The model ID to send as model."),
  object: z.literal("model").describe("Always model."),
  created: z.int().describe("When the vendor released it: the start of that day, UTC, in Unix seconds. 0 if unknown."),
  type: z.literal("model").describe("Always model. Included for Anthropic's client, like the next four fields."),
  display_name: z.string().describe("Same as id."),
  created_at: z.string().describe("Same as created, as an RFC 3339 time. 1970-01-01T00:00:00Z if unknown."),
  max_input_tokens: count("Same as contextWindow."),
  max_tokens: count("Same as maxOutputTokens."),
  owned_by: z.string().describe("The model's provider."),
  description: z.string().describe("A one-line description."),
  outputModalities: z.array(z.enum(["text", "embedding"])).describe("What it returns: text, or embedding for POST /api/v1/embeddings."),
  inputModalities: z.array(z.enum(["text", "image"])).describe("What it accepts as input."),
  contextWindow: count("Maximum input and output tokens together."),
  maxOutputTokens: count("Maximum output tokens of a request."),
  pricing: z
    .object({ inputPer1K: usd("Price per 1,000 input tokens."), outputPer1K: usd("Price per 1,000 output tokens."), currency })
    .describe("The model's price."),
  prices: z
    .array(
      z.object({
        kind: tokenKind,
        per1M: usd("Price per million tokens."),
        fromInputTokens: z
          .int()
          .min(1)
          .optional()
          .describe(
            "Number of input tokens, including cached input, from which the price applies to the whole request. If absent, the price applies to any number of input tokens.",
          ),
      }),
    )
    .describe("The price of each kind of token."),
  aliases: z.array(z.string()).describe("Other names for this model."),
  retiresOn: z.iso.date().optional().describe("The day it retires, UTC. From then on, requests are refused. Absent if no date is known."),
  successor: z.string().optional().describe("The model to use instead once it has retired."),
});

export type Model = AnswerOf<typeof model>;

export const modelList = z.object({
  object: z.literal("list").describe("Always list."),
  data: z.array(model).describe("The models, in catalogue order."),
  first_id: z.string().nullable().describe("The first model's ID. Included for Anthropic's client."),
  last_id: z.string().nullable().describe("The last model's ID. Included for Anthropic's client."),
  has_more: z.literal(false).describe("Always false: the list is complete."),
});

export type ModelList = AnswerOf<typeof modelList>;
