// Reasoning in a common measure, for providers that know an effort only, or a budget only, or not all efforts.

import type { ModelCall, ReasoningEffort, ReasoningOptions } from "./types";

/** From little to much. */
export const reasoningEfforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const satisfies readonly ReasoningEffort[];

/** The supported effort that is nearest to the wanted one, the lower of two; undefined when none is supported. */
export function nearestEffort<Supported extends ReasoningEffort>(
  wanted: ReasoningEffort,
  supported: readonly Supported[],
): Supported | undefined {
  const at = reasoningEfforts.indexOf(wanted);
  const lower = supported.findLast((effort) => reasoningEfforts.indexOf(effort) <= at && (effort !== "none" || wanted === "none"));
  return lower ?? supported.find((effort) => effort !== "none");
}

/** The part of the output limit that a budget is for each effort; the rest is left for the answer. */
const shares: Record<Exclude<ReasoningEffort, "none">, number> = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.95, max: 0.95 };

type Limited = Pick<ModelCall, "maxOutputTokens">;

export const thinksNot = ({ mode, effort }: ReasoningOptions): boolean => mode === "off" || (effort === "none" && mode !== "on");

/** The wanted effort; a budget becomes the effort with about that share of the output limit. Undefined: neither was given. */
export function effortOf(reasoning: ReasoningOptions, { maxOutputTokens }: Limited): ReasoningEffort | undefined {
  if (thinksNot(reasoning)) return "none";
  const { effort, budgetTokens } = reasoning;
  if (effort !== undefined || budgetTokens === undefined) return effort;
  if (budgetTokens <= maxOutputTokens * shares.low) return "low";
  return budgetTokens <= maxOutputTokens * shares.medium ? "medium" : "high";
}

/** The wanted budget, less than the output limit; an effort becomes its share of that limit. Undefined: neither was given. */
export function budgetOf({ effort, budgetTokens }: ReasoningOptions, { maxOutputTokens }: Limited): number | undefined {
  if (budgetTokens !== undefined) return Math.min(budgetTokens, maxOutputTokens - 1);
  return effort === undefined || effort === "none" ? undefined : Math.floor(maxOutputTokens * shares[effort]);
}
