// The bodies of POST /api/v1/embeddings: OpenAI's own, in and out. The vectors arrive in base64 and leave as they were asked for.

import { z } from "zod";
import { AppError } from "@/lib/base/errors";
import { writeJson } from "@/lib/base/json";
import { nanoUsd } from "@/lib/base/money";
import { embeddingModelNames, findModel } from "@/lib/providers/catalogue";
import { type EmbeddingOrder, embeddingFormat } from "@/lib/providers/openai/embeddings";
import type { Model } from "@/lib/providers/types";
import { isRecord } from "@/lib/providers/wire-value";
import type { Caller } from "../http/caller";
import { type GatewayRequest, type Issue, invalidRequest, parseGiven, readIssues, readJsonBody } from "../http/request";
import { saidToOpenAI } from "../http/said";
import type { PricedCompletion } from "../prompt/completion";
import { type Prompt, type ReplyWriter, readMaxCost, unknownModel } from "../prompt/prompt-body";

/** OpenAI's own limits. */
const MAX_INPUTS = 2_048;
const MAX_TOKENS = 8_192;

/**
 * One check for the whole list: half a million faults in it would take seconds to list. Of more inputs than there may be, which are counted
 * later, no more are looked at.
 */
function isInput(value: unknown): value is string | unknown[] {
  if (!Array.isArray(value)) return isText(value);
  if (isTokens(value)) return true;
  const inputs = value.slice(0, MAX_INPUTS + 1);
  return inputs.length > 0 && (inputs.every(isText) || inputs.every(isTokens));
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isToken = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31;
const isTokens = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_TOKENS && value.every(isToken);

export const embeddingBodySchema = z.object({
  model: z.string().min(1, "must not be empty; an example is text-embedding-3-small"),
  input: z
    .union([z.string(), z.array(z.unknown())], "must be a string, an array of strings, an array of tokens, or an array of token arrays")
    .refine(isInput, `must be strings or tokens, none of them empty, and at most ${MAX_TOKENS} tokens each`),
  encoding_format: z.enum(["float", "base64"], "must be float or base64").nullish(),
  dimensions: z.int("must be a whole number").min(1, "must be at least 1").nullish(),
  user: z.string().nullish(),
  /** Our own field: USD, as in POST /api/v1/prompt. */
  maxCost: z.number().positive("must be greater than 0, in USD").nullish(),
});

/** Inputs in place of messages, and no output to bound. */
export interface EmbeddingPrompt extends Prompt {
  inputs: EmbeddingOrder["inputs"];
  encoding: "float" | "base64";
}

/** How many numbers one answer may have: more would be too long for one body. */
const MAX_NUMBERS = { base64: 2_500_000, float: 1_600_000 };

const dimensionsOf: Record<string, number> = { "text-embedding-3-large": 3_072 };
const DEFAULT_DIMENSIONS = 1_536;

/** @throws AppError INVALID_REQUEST, INVALID_MODEL */
export function readEmbeddings(request: GatewayRequest, caller: Pick<Caller, "allowedModels">): EmbeddingPrompt {
  const body = readJsonBody(request);
  const count = shortenInput(body);
  const parsed = parseGiven(embeddingBodySchema, body);
  if (!parsed.success) throw invalidRequest(readIssues(parsed.error, Object.keys(embeddingBodySchema.shape)));
  const { input, encoding_format, dimensions, maxCost, model: name } = parsed.data;
  const model = readEmbeddingModel(name, caller);
  const inputs = readInputs(input as string | unknown[]);
  const encoding = encoding_format ?? "float";
  const most = dimensionsOf[model.id] ?? DEFAULT_DIMENSIONS;
  const issues: Issue[] = [];
  if (inputs.length > MAX_INPUTS) issues.push({ path: "input", message: `must have at most ${MAX_INPUTS} items; it has ${count}` });
  if (dimensions && model.id === "text-embedding-ada-002") issues.push({ path: "dimensions", message: `is not supported by ${model.id}` });
  if (dimensions && dimensions > most) issues.push({ path: "dimensions", message: `must be at most ${most} for ${model.id}` });
  const fitting = Math.floor(MAX_NUMBERS[encoding] / (dimensions ?? most));
  if (inputs.length > fitting) {
    issues.push({ path: "input", message: `is too much for one response. Send at most ${fitting} inputs, or request fewer dimensions` });
  }
  if (issues.length > 0) throw invalidRequest(issues);
  return {
    model,
    messages: [],
    inputField: "input",
    maxOutputTokens: 0,
    options: { caching: "off", format: embeddingFormat({ inputs, dimensions: dimensions ?? undefined }) },
    stream: false,
    maxCost: readMaxCost(maxCost ?? undefined),
    said: saidToOpenAI(request, body),
    inputs,
    encoding,
  };
}

/** Cuts a list that is longer than any may be, before each of its half a million items is read. @returns how many there were */
function shortenInput(body: unknown): number {
  if (!isRecord(body) || !Array.isArray(body.input)) return 0;
  const { length } = body.input;
  if (length > MAX_TOKENS) body.input = body.input.slice(0, MAX_TOKENS + 1);
  return length;
}

function readInputs(input: string | unknown[]): EmbeddingOrder["inputs"] {
  if (typeof input === "string") return [input];
  return isTokens(input) ? [input] : (input as (string | number[])[]);
}

function readEmbeddingModel(name: string, { allowedModels }: Pick<Caller, "allowedModels">): Model {
  const model = findModel(name);
  const supportedModels = embeddingModelNames().filter((id) => !allowedModels || allowedModels.includes(id));
  if (model?.type === "embedding" && supportedModels.includes(model.id)) return model;
  if (!model) throw unknownModel(name, supportedModels, "details.supportedModels lists the models that create embeddings");
  const message =
    model.type === "embedding"
      ? `This API key is not allowed to use the model ${model.id}`
      : `${model.id} does not create embeddings. details.supportedModels lists the models that do`;
  throw new AppError("INVALID_MODEL", { message, details: { model: name.slice(0, 100), supportedModels } });
}

const neverStreamed = (): never => {
  throw new Error("assertion failed: embeddings are never streamed");
};

export const embeddingsWriter = (_: GatewayRequest, prompt: EmbeddingPrompt): ReplyWriter => ({
  whole: (priced) => writeEmbeddings(prompt, priced),
  opening: neverStreamed,
  piece: neverStreamed,
  done: neverStreamed,
  failed: neverStreamed,
});

/** In OpenAI's form; `usage.cost` is our field. */
function writeEmbeddings({ model, encoding }: EmbeddingPrompt, { completion, inputCost, outputCost }: PricedCompletion): string {
  const { inputTokens } = completion.usage;
  const write = encoding === "base64" ? (vector: string) => JSON.stringify(vector) : writeNumbers;
  const data = completion.output.text
    .split("\n")
    .map((vector, index) => `{"object":"embedding","index":${index},"embedding":${write(vector)}}`);
  const usage = { prompt_tokens: inputTokens, total_tokens: inputTokens, cost: nanoUsd(inputCost + outputCost) };
  return `{"object":"list","data":[${data.join(",")}],"model":${JSON.stringify(model.id)},"usage":${writeJson(usage)}}`;
}

/** Little-endian floats of 32 bits; nine digits give each back exactly. */
function writeNumbers(base64: string): string {
  const bytes = Buffer.from(base64, "base64");
  const numbers: number[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4) numbers.push(Number(bytes.readFloatLE(at).toPrecision(9)));
  return JSON.stringify(numbers);
}
