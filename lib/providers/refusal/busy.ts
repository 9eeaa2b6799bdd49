// Which failures mean that a provider works and only has too much to do, and when it may be asked again.

import { ProviderFailure } from "../types";

const busyStatuses: readonly (number | undefined)[] = [429, 498, 529];
const busyCode = /^(?:429|529)$|rate_?limit|overloaded|slow_down|exhausted/i;
const busyWords = /overloaded|capacity|too (?:busy|many requests)|high demand|slow down/i;

/**
 * 429; 529 (Anthropic) and 498 (Groq); a 503 whose words say so, as OpenAI, Gemini, xAI and DeepSeek send it; Groq's 413 for tokens a minute;
 * and the same inside a 200, which has no status.
 */
export function isBusy(status: number | undefined, problem: { message: string; codes: readonly string[] } | undefined): boolean {
  if (busyStatuses.includes(status)) return true;
  if (!problem || (status !== undefined && status !== 503 && status !== 413)) return false;
  return problem.codes.some((code) => busyCode.test(code)) || busyWords.test(problem.message);
}

/** The failure of a route that is not called. */
export const circuitOpen = (provider: string, retryAfterMs: number): ProviderFailure =>
  new ProviderFailure("unavailable", `${provider}: the circuit is open`, { busy: true, retryAfterMs });

/**
 * Of two routes' failures: a busy one, which says when to come again; of two busy ones, that of the route to ask sooner; else the later.
 */
export function moreTelling(earlier: ProviderFailure | undefined, later: ProviderFailure): ProviderFailure {
  if (!earlier?.busy) return later;
  if (!later.busy) return earlier;
  return (later.retryAfterMs ?? Number.POSITIVE_INFINITY) < (earlier.retryAfterMs ?? Number.POSITIVE_INFINITY) ? later : earlier;
}
