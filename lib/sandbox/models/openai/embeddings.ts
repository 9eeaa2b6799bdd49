// Simulated embeddings: the same text always at the same place, and billed by the simulation's own tokenizer.
// Source: platform.openai.com/docs/api-reference/embeddings/create.

import { createHash } from "node:crypto";
import { countTokens } from "../tokens";

interface EmbeddingsRequest {
  model: string;
  input: string | (string | number[])[] | number[];
  encoding_format?: "float" | "base64";
  dimensions?: number;
}

/** The models, and how many numbers a vector of each has. */
const lengths: ReadonlyMap<string, number> = new Map([
  ["text-embedding-3-small", 1_536],
  ["text-embedding-3-large", 3_072],
  ["text-embedding-ada-002", 1_536],
]);

/** Answers the body of `POST …/embeddings`; null for a model that makes none. */
export function answerEmbeddings(given: unknown): { model: string; question: string; body: string } | null {
  const { model, input, encoding_format, dimensions } = given as EmbeddingsRequest;
  const length = lengths.get(model);
  if (length === undefined) return null;
  const isOne = typeof input === "string" || typeof input[0] === "number";
  const inputs = (isOne ? [input] : input) as (string | number[])[];
  const data = inputs.map((each, index) => {
    const vector = vectorOf(JSON.stringify(each), dimensions ?? length);
    const embedding = encoding_format === "base64" ? Buffer.from(vector.buffer).toString("base64") : [...vector];
    return { object: "embedding", index, embedding };
  });
  const tokens = inputs.reduce((sum, each) => sum + (typeof each === "string" ? countTokens(each) : each.length), 0);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  const [first] = inputs;
  return { model, question: typeof first === "string" ? first : "", body: JSON.stringify({ object: "list", data, model, usage }) };
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
