// A run's approximate tokens and cost while it runs, before the provider's count arrives.

import { countBytes } from "@/components/ui/text/byte-count";
import { parseUsd } from "@/lib/base/money";
import { estimateMessageTokens, estimateTextTokens } from "@/lib/base/tokens/token-estimate";
import type { PromptFields } from "./code-lines";
import type { Run, RunFields, RunPrice } from "./run";

const MILLION = 1_000_000n;

type Input = Pick<PromptFields, "system" | "prompt"> & Pick<RunFields, "sent">;

export const countInputBytes = ({ system, prompt, sent }: Input): number => sent?.bytes ?? countBytes((system ?? "") + prompt);

export const estimateInputTokens = (input: Input): number =>
  estimateMessageTokens(countInputBytes(input), input.sent?.messages ?? (input.system === undefined ? 1 : 2));

export const estimateOutputTokens = (text: string): number => estimateTextTokens(countBytes(text));

/** Nano-USD of `tokens` at a price per million. */
export const costOfTokens = (tokens: number, perMillion: string): bigint => (parseUsd(perMillion) / MILLION) * BigInt(tokens);

/** Nano-USD. */
export const estimateCost = ({ inputPrice, outputPrice }: RunPrice, input: Input, text: string): bigint =>
  costOfTokens(estimateInputTokens(input), inputPrice) + costOfTokens(estimateOutputTokens(text), outputPrice);

/** The run's estimate, never above its maximum cost; null until that is known. */
export function estimateRun({ ceiling, price, fields, text, reasoning, toolCalls }: Run): bigint | null {
  const written = reasoning + text + toolCalls.map((call) => call.name + call.arguments).join("");
  if (ceiling === null || written === "") return null;
  const estimate = estimateCost(price, fields, written);
  return estimate < ceiling ? estimate : ceiling;
}
