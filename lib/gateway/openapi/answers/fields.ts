// Fields that several answers share: ids, token counts and amounts, each with its description.

import { z } from "zod";

/** An amount; `text` describes it. */
export const usd = (text: string) => z.number().describe(`${text} In USD.`);
export const count = (text: string) => z.int().min(0).describe(text);

export const requestId = z
  .string()
  .regex(/^req_[0-9A-Za-z]{20}$/)
  .describe("Identifies this request in your records and ours.");

export const modelName = z.string().describe("The model that answered, by its name in the catalogue.");
export const keyId = z.string().nullable().describe("The API key that asked; null for a request without one.");
export const currency = z.literal("USD").describe("Always USD.");
export const outcome = z
  .enum(["complete", "partial", "cancelled"])
  .describe("How it ended: complete, partial when the provider broke off, cancelled when the client left its stream.");
export const streamed = z.boolean().describe("Whether it was asked for as a stream.");

const tokens = {
  inputTokens: count("Tokens that went in."),
  outputTokens: count("Tokens that came out, reasoning included."),
  totalTokens: count("The sum of both."),
};

export const usage = z.object(tokens).describe("Tokens as the provider counted them.");

/** With the parts that are known only afterwards. */
export const usageInParts = z
  .object({
    ...tokens,
    cachedInputTokens: count("Of the input: read from the provider's cache."),
    reasoningTokens: count("Of the output: spent on reasoning."),
  })
  .describe("Tokens as the provider counted them.");

export const cost = z
  .object({
    inputCost: usd("Input tokens at the model's price."),
    outputCost: usd("Output tokens at the model's price."),
    totalCost: usd("What left your balance, the exact sum of both."),
  })
  .describe("What you were charged.");

export const pricePerToken = z
  .object({
    inputPerToken: usd("One input token."),
    outputPerToken: usd("One output token."),
    currency,
  })
  .describe("The model's price, a token each.");

export const priceVersion = z
  .string()
  .regex(/^pv_[0-9a-f]{16}$/)
  .describe("Identifies the price by its content: the same price always has the same id.");
