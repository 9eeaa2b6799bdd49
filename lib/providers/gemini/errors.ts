// Errors of Gemini: {error: {code, message, status, details}}, Google's RPC status, also inside a stream, and in an array when a
// stream without SSE was requested. Documented at https://ai.google.dev/gemini-api/docs/troubleshooting.

import { type HttpRefusal, kindOfStatus, type ProviderProblem, readHttpRefusal } from "../http-failure";
import type { ProviderFailure } from "../types";
import { isRecord } from "../wire-value";

/** Never throws. */
export function readGeminiRefusal(refusal: HttpRefusal): ProviderFailure {
  return readHttpRefusal(refusal, readGeminiProblem);
}

/** Reads an error body or chunk; undefined when it has no known form. */
export function readGeminiProblem(body: unknown): ProviderProblem | undefined {
  const holder: unknown = Array.isArray(body) ? body[0] : body;
  if (!isRecord(holder) || !isRecord(holder.error)) return undefined;
  const { code, message, status, details } = holder.error;
  const all = Array.isArray(details) ? details.filter(isRecord) : [];
  return {
    message: typeof message === "string" ? message : "",
    codes: [code, status].filter((name) => typeof name === "string" || typeof name === "number").map(String),
    certainKind: isOperators(status, all) ? "misconfigured" : undefined,
    likelyKind: typeof code === "number" && code >= 400 ? kindOfStatus(code) : undefined,
    retryAfterMs: retryDelayOf(all),
  };
}

/** A wrong or expired key gets 400 with its reason among the details; a project without billing gets 400 FAILED_PRECONDITION. */
function isOperators(status: unknown, details: Record<string, unknown>[]): boolean {
  if (status === "FAILED_PRECONDITION") return true;
  return details.some(({ reason }) => typeof reason === "string" && reason.startsWith("API_KEY_"));
}

/** google.rpc.RetryInfo: a duration in seconds, "37s" or "1.5s". */
function retryDelayOf(details: Record<string, unknown>[]): number | undefined {
  for (const { retryDelay } of details) {
    const seconds = typeof retryDelay === "string" ? /^(\d+(?:\.\d+)?)s$/.exec(retryDelay)?.[1] : undefined;
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  return undefined;
}
