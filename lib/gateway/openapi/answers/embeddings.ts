// The answer to POST /api/v1/embeddings: OpenAI's own format, plus its cost.

import { z } from "zod";
import { count, modelName, usd } from "./fields";

const embedding = z.object({
  object: z.literal("embedding").describe("Always embedding."),
  index: z.int().describe("Index of the input, from 0."),
  embedding: z.union([z.array(z.number()), z.string()]).describe("The numbers, or base64 of their bytes."),
});

export const embeddingList = z.object({
  object: z.literal("list").describe("Always list."),
  data: z.array(embedding).describe("One embedding per input, in order."),
  model: modelName,
  usage: z
    .object({
      prompt_tokens: count("Tokens of all inputs."),
      total_tokens: count("Same as prompt_tokens, because there is no output."),
      cost: usd("What you were charged. Not an OpenAI field."),
    })
    .describe("Token counts from the provider, and the cost."),
});
