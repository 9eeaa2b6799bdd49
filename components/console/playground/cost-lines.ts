// A run's charge as lines that sum to it: amounts that the ledger wrote. Nothing is multiplied here: the price of a token depends on its kind
// and on the prompt's length, and only the receipt knows both.

import type { Run, RunReceipt } from "./run";

export interface CostLine {
  /** `borne`: what the answer cost beyond the charge, which the operator bears. */
  kind: RunReceipt["lines"][number]["kind"] | "borne";
  /** 0 for `borne`. */
  tokens: number;
  /** Nano-USD; negative for `borne`. */
  cost: bigint;
}

/** The charge, nano-USD; null while it is unknown. */
export const chargeOf = ({ receipt, problem }: Pick<Run, "receipt" | "problem">): bigint | null =>
  receipt ? receipt.inputCost + receipt.outputCost : (problem?.cost ?? null);

/** By kind of token where the receipt is known; until then the two amounts that came with the answer. */
export function costLines({ receipt }: Pick<Run, "receipt">): CostLine[] {
  if (!receipt) return [];
  const { inputTokens, outputTokens, inputCost, outputCost, lines, borne } = receipt;
  if (lines.length === 0) {
    return [
      { kind: "input", tokens: inputTokens, cost: inputCost },
      { kind: "output", tokens: outputTokens, cost: outputCost },
    ];
  }
  const byKind = lines.map(({ kind, tokens, due }): CostLine => ({ kind, tokens, cost: due }));
  return borne > 0n ? [...byKind, { kind: "borne", tokens: 0, cost: -borne }] : byKind;
}
