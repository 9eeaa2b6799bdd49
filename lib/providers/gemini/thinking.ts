// Reasoning options in Gemini's words: a level since Gemini 3, a budget before; both together get a 400. Facts as of 2026-11-26:
// ai.google.dev/gemini-api/docs/thinking. The output limit includes thoughts.

import { budgetOf, effortOf, nearestEffort, thinksNot } from "../effort";
import type { ModelCall } from "../types";
import { isSinceGemini3 } from "./call-id";

export interface GeminiThinking {
  thinkingBudget?: number;
  thinkingLevel?: "minimal" | "low" | "medium" | "high";
}

/** Undefined where the model does as it does by itself. */
export function geminiThinking(call: ModelCall, wireName: string): GeminiThinking | undefined {
  if (!call.reasoning || !thinks.test(wireName)) return undefined;
  if (!isSinceGemini3(wireName)) return budget(call, wireName);
  const wanted = effortOf(call.reasoning, call);
  if (wanted === undefined) return undefined;
  // No level turns thinking off; the lowest comes nearest.
  const thinkingLevel = nearestEffort(wanted === "none" ? "minimal" : wanted, levelsOf(wireName));
  return thinkingLevel && { thinkingLevel };
}

const thinks = /gemini-(?:2\.5|[3-9])/;
const isPro = (wireName: string): boolean => wireName.includes("-pro");

function levelsOf(wireName: string): readonly NonNullable<GeminiThinking["thinkingLevel"]>[] {
  if (!isPro(wireName)) return ["minimal", "low", "medium", "high"];
  return /gemini-3-pro/.test(wireName) ? ["low", "high"] : ["low", "medium", "high"];
}

/** `-1` leaves the amount to the model. */
const DYNAMIC = -1;

function budget(call: ModelCall, wireName: string): GeminiThinking | undefined {
  const reasoning = call.reasoning ?? {};
  const [least, most] = isPro(wireName) ? [128, 32_768] : wireName.includes("-lite") ? [512, 24_576] : [1, 24_576];
  if (thinksNot(reasoning)) return { thinkingBudget: isPro(wireName) ? least : 0 };
  if (reasoning.mode === "default" && reasoning.effort === undefined && reasoning.budgetTokens === undefined) return undefined;
  const wanted = budgetOf(reasoning, call);
  return { thinkingBudget: wanted === undefined ? DYNAMIC : Math.max(least, Math.min(wanted, most)) };
}
