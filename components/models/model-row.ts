// One model as a table row, and the exact arithmetic on its prices.

import { parseUsd } from "@/lib/base/money";
import type { ModelPrice } from "@/lib/console/views/models";

/** A model with its prices and the cost of the requested tokens, in nano-USD. */
export interface PricedModel extends ModelPrice {
  /** Per million tokens. */
  input: bigint;
  output: bigint;
  /** Null when the model does not accept that many tokens. */
  cost: bigint | null;
}

/** The page of a model. A slash in its name stays one: encoded, the server refuses it. */
export const modelHref = (id: string): string => `/models/${id.split("/").map(encodeURIComponent).join("/")}`;

/** The description of a model in a list; the model's page has all of it. */
export const firstSentence = (description: string): string => description.split(/(?<=\.)\s/)[0] ?? "";

/** The note in a list about a model's end; null where no date is known. */
export function retirementText({ retiresOn, isServedOn, provider }: ModelPrice, today: string): string | null {
  if (!retiresOn) return null;
  if (!isServedOn) return `Retires on ${retiresOn}`;
  return `${retiresOn <= today ? "Retired" : "Retires"} at ${provider} on ${retiresOn}`;
}

const MILLION = 1_000_000n;

/** Prices are whole nano-USD per token, so the division by a million is exact. */
export function priceModel(row: ModelPrice, wanted: { input: bigint; output: bigint }): PricedModel {
  // An embedding has no output.
  const tokens = row.type === "embedding" ? { input: wanted.input, output: 0n } : wanted;
  const input = parseUsd(row.inputPrice);
  const output = parseUsd(row.outputPrice);
  const fits = tokens.input + tokens.output <= BigInt(row.contextWindow) && tokens.output <= BigInt(row.maxOutputTokens);
  const cost = fits ? (input / MILLION) * tokens.input + (output / MILLION) * tokens.output : null;
  return { ...row, input, output, cost };
}
