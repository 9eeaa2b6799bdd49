// How a run's charge came about: lines that sum to it, to the nano-dollar.

import { costOfTokens } from "./estimate";
import type { Run } from "./run";

export interface CostLine {
  side: "input" | "output" | "waived";
  /** Tokens; 0 where it is waived. */
  tokens: number;
  /** Nano-USD; negative where it is waived. */
  cost: bigint;
}

/** What was charged, nano-USD; null while it is unknown. */
export const chargeOf = ({ receipt, problem }: Pick<Run, "receipt" | "problem">): bigint | null =>
  receipt ? receipt.inputCost + receipt.outputCost : (problem?.cost ?? null);

/**
 * A charge is at most what was reserved, the input first: an answer that cost more would show an output for nothing. Its lines are the
 * tokens at their prices, and what was waived of them.
 */
export function costLines({ receipt, price }: Run): CostLine[] {
  if (!receipt) return [];
  const { inputTokens, outputTokens, inputCost, outputCost } = receipt;
  const due = { input: costOfTokens(inputTokens, price.inputPrice), output: costOfTokens(outputTokens, price.outputPrice) };
  const waived = due.input + due.output - inputCost - outputCost;
  const cost = waived > 0n ? due : { input: inputCost, output: outputCost };
  const lines: CostLine[] = [
    { side: "input", tokens: inputTokens, cost: cost.input },
    { side: "output", tokens: outputTokens, cost: cost.output },
  ];
  return waived > 0n ? [...lines, { side: "waived", tokens: 0, cost: -waived }] : lines;
}
