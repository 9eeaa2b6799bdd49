// The answers to a prompt, to a quote, and of the models list.

import { z } from "zod";
import { cost, count, currency, modelName, pricePerToken, priceVersion, requestId, usage, usd } from "./fields";
import { payment } from "./payment";

/** Of an answer whose output limit was lowered. */
export const clippedTo = z
  .int()
  .min(1)
  .optional()
  .describe("The output limit, when it was lowered to what balance, cap and maxCost allowed. Absent otherwise.");

export const promptAnswer = z.object({
  success: z.literal(true).describe("Always true: an error has another status."),
  text: z.string().describe("The model's answer."),
  model: modelName,
  usage,
  cost,
  requestId,
  clippedTo,
  payment: payment.optional(),
});

export const promptDelta = z.object({ text: z.string().describe("The next piece of the answer.") }).describe("The data of a delta event.");

export const quote = z.object({
  model: z.string().describe("The model, by its name in the catalogue."),
  inputTokens: count("The most tokens that the input can be."),
  maxOutputTokens: count("The most tokens that the answer may have."),
  maxReasoningTokens: count("The most tokens of reasoning beyond maxOutputTokens; 0 for most models."),
  ceiling: usd("The most that the request can cost: what would be held."),
  expected: usd("A guess, never above the ceiling: half of the output that is allowed."),
  available: usd("What the account has to spend now."),
  covered: z.boolean().describe("Whether available covers the ceiling."),
  paymentCents: z.int().min(1).describe("Minimum payment for this request, USDC cents."),
  affordableMaxTokens: count("The largest maxTokens that available covers."),
  capLeft: z.number().nullable().describe("What the key's spending cap leaves in its current period, USD; null without a cap."),
  clippedTo: z
    .int()
    .min(1)
    .nullable()
    .describe("The output limit that clipToBalance would leave now; null when not even the minimum fits, and the answer would be 402."),
  withinMaxCost: z.boolean().describe("Whether the ceiling is within the body's own maxCost; true without one."),
  priceVersion,
  pricing: pricePerToken,
});

export const model = z.object({
  id: z.string().describe("The name to send as model."),
  object: z.literal("model").describe("Always model."),
  created: z.int().describe("Always 0; OpenAI's client wants the field."),
  owned_by: z.string().describe("The provider."),
  description: z.string().describe("What it is good for, in a line."),
  contextWindow: count("Tokens of input and output together."),
  maxOutputTokens: count("The most output tokens that a request may ask for."),
  pricing: z
    .object({ inputPer1K: usd("A thousand input tokens."), outputPer1K: usd("A thousand output tokens."), currency })
    .describe("What it costs."),
  aliases: z.array(z.string()).describe("Other names of the same model."),
});

export const modelList = z.object({
  object: z.literal("list").describe("Always list."),
  data: z.array(model).describe("The models, in the order of the catalogue."),
});
