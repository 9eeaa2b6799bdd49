// Embeddings in OpenAI's form: https://platform.openai.com/docs/api-reference/embeddings. They are always asked for in base64, which is a
// third of the same numbers in decimals, and are read back as the texts that the provider sent.

import { z } from "zod";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import { failureInside } from "../http-failure";
import { openaiFormat } from "../openai";
import { type ProviderEvent, ProviderFailure, type WireFormat } from "../types";
import { isRecord, malformed, parseJson, readShape, tokenCountSchema } from "../wire-value";
import { readOpenAIProblem } from "./errors";

export interface EmbeddingOrder {
  /** Texts, or their tokens. */
  inputs: readonly (string | readonly number[])[];
  dimensions: number | undefined;
}

const replySchema = z.object({
  data: z.array(z.object({ index: z.number().int(), embedding: z.string() })),
  usage: z.object({ prompt_tokens: tokenCountSchema }).nullish(),
});

/** The wire format of one order: the vectors come as one text, a line of base64 each, in the order of the inputs. */
export function embeddingFormat({ inputs, dimensions }: EmbeddingOrder): WireFormat {
  return {
    ...openaiFormat,
    buildRequest: (_call, wireName, apiKey) => ({
      path: "embeddings",
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model: wireName, input: inputs, encoding_format: "base64", dimensions }),
    }),
    readReply: (body) => readReply(body, inputs.length),
    readStream: () => {
      throw malformed("a stream in place of embeddings");
    },
  };
}

function readReply(body: string, count: number): ProviderEvent[] {
  const parsed = parseJson(body, "the reply");
  if (isRecord(parsed) && parsed.error) throw failureInside(readOpenAIProblem(parsed), "rejected");
  const { data, usage } = readShape(replySchema, parsed, "the reply");
  const vectors = [...data].sort((one, other) => one.index - other.index);
  if (vectors.length !== count || vectors.some(({ index }, at) => index !== at)) {
    throw malformed(`${vectors.length} embeddings for ${count} inputs`);
  }
  // Only models that report their usage are sold.
  const inputTokens = usage?.prompt_tokens;
  if (typeof inputTokens !== "number") throw new ProviderFailure("malformed", "embeddings without a token count", { accepted: true });
  return [
    { type: "text", text: vectors.map(({ embedding }) => embedding).join("\n") },
    { type: "finish", reason: "stop", usage: { ...noTokens, inputTokens } },
  ];
}
