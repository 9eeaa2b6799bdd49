// Fields that several answers share: ids, token counts, amounts and times, each with its description; and the type of an answer as its
// endpoint builds it.

import { z } from "zod";
import { amount } from "@/lib/base/errors/detail-fields";
import type { NanoUsd } from "@/lib/base/money";
import { kindNames, type PartKind, partKinds, tokenKinds } from "@/lib/base/tokens/token-kinds";
import { whenLeftNames, whenLeftText } from "@/lib/base/when-left";

/** The values that `writeJson` writes branded fields from. */
interface Sources {
  USD: NanoUsd;
  time: Date;
  "number or USD": number | NanoUsd;
}

type SourceOf<T> =
  T extends z.core.$brand<infer Brand extends keyof Sources>
    ? Sources[Brand]
    : T extends readonly (infer Item)[]
      ? readonly SourceOf<Item>[]
      : T extends object
        ? { readonly [Name in keyof T]: SourceOf<T[Name]> }
        : T;

/** The value that an endpoint hands to `writeJson` for an answer of this schema. */
export type AnswerOf<Schema extends z.ZodType> = SourceOf<z.output<Schema>>;

/** The fields of the schema, in its order, out of a value that may have more: those are no promise of the API. */
export function pickFields<Schema extends z.ZodObject>({ shape }: Schema, value: AnswerOf<Schema> & object): AnswerOf<Schema> {
  const given = new Map(Object.entries(value));
  return Object.fromEntries(Object.keys(shape).map((name) => [name, given.get(name)])) as AnswerOf<Schema>;
}

/** An amount; `text` describes it. */
export const usd = (text: string) => amount(`${text} In USD.`);
/** A time, ISO 8601 in UTC. */
export const time = z.iso.datetime().brand<"time">();
export const numberOrUsd = z.number().brand<"number or USD">();
export const count = (text: string) => z.int().min(0).describe(text);

export const requestId = z
  .string()
  .regex(/^req_[0-9A-Za-z]{20}$/)
  .describe("Identifies this request in your records and ours.");

export const modelName = z.string().describe("The ID of the model that answered.");
export const keyId = z.string().nullable().describe("The API key used; null for a request without a key.");
export const currency = z.literal("USD").describe("Always USD.");
export const outcome = z
  .enum(["complete", "partial", "cancelled", "lost"])
  .describe(
    "complete: the whole answer; partial: the provider stopped midway; cancelled: the client closed the stream; lost: the answer could not be delivered, at no cost.",
  );
export const whenLeft = z
  .enum(whenLeftNames)
  .describe(`What happens when you close the stream early. cut: ${whenLeftText.cut} drained: ${whenLeftText.drained}`);
export const streamed = z.boolean().describe("Whether the request was streamed.");

const tokens = {
  inputTokens: count(tokenKinds.input.description),
  outputTokens: count(tokenKinds.output.description),
  totalTokens: count("Input plus output tokens."),
};

export const usage = z.object(tokens).describe("Token counts from the provider.");

type PartCount = (typeof tokenKinds)[PartKind]["count"];
const parts = Object.fromEntries(partKinds.map((kind) => [tokenKinds[kind].count, count(tokenKinds[kind].description)]));

/** With its kinds, of which each token has one at most. */
export const usageInParts = z.object({ ...tokens, ...(parts as Record<PartCount, z.ZodInt>) }).describe("Token counts from the provider.");

export const pricePerToken = z
  .object({
    inputPerToken: usd("Price per input token."),
    outputPerToken: usd("Price per output token."),
    currency,
  })
  .describe("The model's price per token.");

export type PricePerToken = AnswerOf<typeof pricePerToken>;

export const tokenKind = z
  .enum(kindNames)
  .describe("What a token was used for. Kinds without a price of their own cost as much as input, reasoning as much as output.");

export const costByKind = z
  .array(
    z.object({
      kind: tokenKind,
      tokens: count("Tokens of this kind alone."),
      price: usd("Price per token."),
      cost: usd("tokens times price."),
    }),
  )
  .describe("The cost by kind of token.");

export const priceVersion = z
  .string()
  .regex(/^pv_[0-9a-f]{16}$/)
  .describe("Identifies the prices by their content: the same prices always have the same ID.");
