// Turns a refusal into one ProviderFailure: from its HTTP status, Retry-After and the provider's own words. Never throws, whatever
// the answer, and never repeats a credential that the provider quotes back.

import { DAY_MS, nowMs } from "@/lib/base/clock";
import { ProviderFailure, type ProviderFailureKind } from "./types";

/** What a wire format found in an error body. */
export interface ProviderProblem {
  message: string;
  /** The words are unambiguous, so they outrank the HTTP status. */
  certainKind?: ProviderFailureKind;
  /** What the words suggest, for an error inside a 200, which has no HTTP status to judge by. */
  likelyKind?: ProviderFailureKind;
  retryAfterMs?: number;
}

export interface HttpRefusal {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

const maxQuoteLength = 300;
const maxParsedLength = 256 * 1024;
const maxRetryAfterMs = DAY_MS;

/** Classifies an answer that is not 2xx; `readProblem` gets the parsed body and must not throw. */
export function readHttpRefusal(refusal: HttpRefusal, readProblem: (body: unknown) => ProviderProblem | undefined): ProviderFailure {
  const parsed = parseBody(refusal.body);
  const problem = parsed === undefined ? undefined : readProblem(parsed);
  // A JSON body of an unknown shape is not quoted: it may contain anything. Plain text (a proxy's page) is.
  const words = problem?.message ?? (parsed === undefined ? refusal.body : "");
  return new ProviderFailure(problem?.certainKind ?? kindOfStatus(refusal.status), `HTTP ${refusal.status}: ${quoteProvider(words)}`, {
    httpStatus: refusal.status,
    retryAfterMs: retryAfterOf(refusal.headers) ?? limitRetry(problem?.retryAfterMs),
  });
}

/** An error inside a 200 answer; `fallback` is its kind when the words are inconclusive. */
export function failureInside(problem: ProviderProblem | undefined, fallback: ProviderFailureKind): ProviderFailure {
  return new ProviderFailure(
    problem?.certainKind ?? problem?.likelyKind ?? fallback,
    `error in the answer: ${quoteProvider(problem?.message ?? "")}`,
    {
      accepted: true,
      retryAfterMs: limitRetry(problem?.retryAfterMs),
    },
  );
}

/** Who can fix it: only time, the operator, or the caller. */
export function kindOfStatus(status: number): ProviderFailureKind {
  if (status === 400 || status === 413 || status === 422) return "rejected";
  // 409 and 425 ask for the same request again; a status below 300 is not a refusal.
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500 || !(status >= 300)) return "unavailable";
  // 401 to 404 by their meaning; redirects, 405, 410 and the like mean that the base URL is wrong.
  return "misconfigured";
}

/** Providers quote a refused key whole or in part: `sk-ab***yz`, `xa***na`. */
const looksLikeKey = /\b(?:sk|pk|gsk|xai)[-_].{6}|\bAIza.{8}|[^*]\*{3}/;

/** At most 300 characters of a provider's words, on one line, without anything that looks like a key. */
export function quoteProvider(words: string): string {
  const line = words
    .slice(0, 16 * maxQuoteLength)
    .replace(/Bearer\s+\S+/gi, "Bearer [key]")
    .replace(/[-_*.A-Za-z0-9]+/g, (word) => (looksLikeKey.test(word) ? "[key]" : word))
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= maxQuoteLength ? line : line.slice(0, maxQuoteLength);
}

function parseBody(body: string): unknown {
  if (body.length > maxParsedLength) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    // Not JSON: a proxy's page or a cut body. The status alone decides.
    return undefined;
  }
}

/** `retry-after-ms` (OpenAI, Azure) is the finer of the two; Retry-After holds seconds or an HTTP date (RFC 9110, 10.2.3). */
function retryAfterOf(headers: HttpRefusal["headers"]): number | undefined {
  const ms = headerNumber(headers["retry-after-ms"]);
  if (ms !== undefined) return limitRetry(ms);
  const text = firstValue(headers["retry-after"]);
  if (text === undefined) return undefined;
  const seconds = headerNumber(text);
  if (seconds !== undefined) return limitRetry(seconds * 1000);
  // Only a date has letters; Date.parse alone would take "-5" for a year.
  return /[A-Za-z]/.test(text) ? limitRetry(Date.parse(text) - nowMs()) : undefined;
}

function limitRetry(ms: number | undefined): number | undefined {
  if (ms === undefined || Number.isNaN(ms)) return undefined;
  return Math.ceil(Math.min(Math.max(ms, 0), maxRetryAfterMs));
}

function headerNumber(header: string | string[] | undefined): number | undefined {
  const text = firstValue(header)?.trim();
  return text !== undefined && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function firstValue(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : header?.[0];
}
