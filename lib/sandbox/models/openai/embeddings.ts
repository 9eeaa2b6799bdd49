// Simulated embeddings: refused as OpenAI refuses, the same text always at the same place, and billed by the simulation's own tokenizer.
// Source: platform.openai.com/docs/api-reference/embeddings/create.

import { createHash } from "node:crypto";
import { z } from "zod/mini";
import { countTokens } from "../tokens";
import type { BrokenRule } from "../vendor";

const token = z.int().check(z.minimum(0));
const request = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string()), z.array(token), z.array(z.array(token))]),
  encoding_format: z.optional(z.enum(["float", "base64"])),
  dimensions: z.optional(z.int().check(z.minimum(1))),
  user: z.optional(z.string()),
});

const MAX_INPUTS = 2_048;
const MAX_TOKENS = 8_192;
const longest: Record<string, number> = {
  "text-embedding-3-small": 1_536,
  "text-embedding-3-large": 3_072,
  "text-embedding-ada-002": 1_536,
};

export type EmbeddingAnswer = { body: string; model: string; question: string } | { rule: BrokenRule } | { unknownModel: string };

/** Answers the body of `POST …/embeddings`. */
export function answerEmbeddings(body: unknown): EmbeddingAnswer {
  const parsed = request.safeParse(body);
  if (!parsed.success)
    return { rule: { message: "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference." } };
  const { model, input, encoding_format = "float", dimensions } = parsed.data;
  const most = longest[model];
  if (most === undefined) return { unknownModel: model };
  const inputs = readInputs(input);
  const counts = inputs.map((each) => (typeof each === "string" ? countTokens(each) : each.length));
  const rule = findRule({ model, inputs, counts, dimensions, most });
  if (rule) return { rule };
  const data = inputs.map((each, index) => {
    const vector = vectorOf(JSON.stringify(each), dimensions ?? most);
    const embedding = encoding_format === "base64" ? Buffer.from(vector.buffer).toString("base64") : [...vector];
    return { object: "embedding", index, embedding };
  });
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  const [first = ""] = inputs;
  return {
    model,
    question: typeof first === "string" ? first : "",
    body: JSON.stringify({ object: "list", data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}

function readInputs(input: z.infer<typeof request>["input"]): (string | number[])[] {
  if (typeof input === "string") return [input];
  const isTokens = input.length > 0 && input.every((each) => typeof each === "number");
  return isTokens ? [input as number[]] : (input as (string | number[])[]);
}

interface Given {
  model: string;
  inputs: readonly (string | number[])[];
  counts: readonly number[];
  dimensions: number | undefined;
  most: number;
}

function findRule({ model, inputs, counts, dimensions, most }: Given): BrokenRule | null {
  if (inputs.length === 0 || inputs.some((each) => each.length === 0))
    return { message: "'input' cannot be an empty string.", param: "input" };
  if (inputs.length > MAX_INPUTS) return { message: `'input' must have at most ${MAX_INPUTS} items.`, param: "input" };
  const tooLong = counts.find((count) => count > MAX_TOKENS);
  if (tooLong !== undefined) {
    return {
      message: `This model's maximum context length is ${MAX_TOKENS} tokens, however you requested ${tooLong} tokens. Please reduce your prompt.`,
    };
  }
  if (dimensions === undefined) return null;
  if (model === "text-embedding-ada-002") return { message: "This model does not support specifying dimensions." };
  return dimensions > most
    ? { message: `Invalid value for 'dimensions' = ${dimensions}. Must be at most ${most}.`, param: "dimensions" }
    : null;
}

/** A unit vector, made of the text's hash. */
function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  let bytes = Buffer.alloc(0);
  for (let at = 0; at < dimensions; at++) {
    const offset = (at * 4) % 32;
    if (offset === 0) bytes = createHash("sha256").update(`${text} ${at}`).digest();
    vector[at] = bytes.readInt32LE(offset) / 2 ** 31;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
