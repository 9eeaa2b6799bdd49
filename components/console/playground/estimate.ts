// A run's approximate cost so far, before the provider's count arrives: computed as the service estimates an abandoned stream.

import { parseUsd } from "@/lib/base/money";
import type { ModelPrice } from "@/lib/console/views/models";
import type { PromptFields } from "./code-lines";

const BYTES_PER_TOKEN = 4;
const TOKENS_AROUND_MESSAGE = 3;
const MILLION = 1_000_000n;

const countBytes = (text: string): number => new TextEncoder().encode(text).length;

export const estimateOutputTokens = (text: string): number => Math.ceil(countBytes(text) / BYTES_PER_TOKEN);

/** Nano-USD. */
export function estimateCost(model: ModelPrice, { system, prompt }: PromptFields, text: string): bigint {
  const inputTokens =
    Math.ceil(countBytes((system ?? "") + prompt) / BYTES_PER_TOKEN) + TOKENS_AROUND_MESSAGE * (system === undefined ? 1 : 2);
  const input = (parseUsd(model.inputPrice) / MILLION) * BigInt(inputTokens);
  return input + (parseUsd(model.outputPrice) / MILLION) * BigInt(estimateOutputTokens(text));
}
