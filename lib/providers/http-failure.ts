// Turns a refusal into one ProviderFailure: from its HTTP status, Retry-After and the provider's own words. Never throws, whatever
// the answer, and never repeats a credential that the provider quotes back.

import { DAY_MS, nowMs } from "@/lib/base/clock";
import { isBusy } from "./refusal/busy";
import { findOverflow, type Overflow } from "./refusal/overflow";
import { hideLongQuotes, MAX_READ, quoteWords } from "./refusal/quote";
import { ProviderFailure, type ProviderFailureKind } from "./types";

/** The problem that a wire format found in an error body. */
export interface ProviderProblem {
  message: string;
  /** The provider's names for it: codes, types, statuses. */
  codes: readonly string[];
  /** The words are unambiguous, so they outrank the HTTP status. */
  certainKind?: ProviderFailureKind;
  /** The kind that the words suggest, for an error inside a 200, which has no HTTP status to judge by. */
  likelyKind?: ProviderFailureKind;
  retryAfterMs?: number;
  /** The model's text was refused, and not the request, whatever the status. */
  byModel?: boolean;
}

export interface HttpRefusal {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

const maxQuoteLength = 300;
/** Length of the words that the caller is told: a fault of a schema takes some. */
const maxToldLength = 500;
const maxParsedLength = 256 * 1024;
const maxRetryAfterMs = DAY_MS;

/** Classifies an answer that is not 2xx; `readProblem` gets the parsed body and must not throw. */
export function readHttpRefusal(refusal: HttpRefusal, readProblem: (body: unknown) => ProviderProblem | undefined): ProviderFailure {
  const { status } = refusal;
  const parsed = parseBody(refusal.body);
  const problem = parsed === undefined ? undefined : readProblem(parsed);
  // A JSON body of an unknown shape is not quoted: it may contain anything. Plain text (a proxy's page) is.
  const words = problem?.message ?? (parsed === undefined ? refusal.body : "");
  if (problem?.byModel) return modelFailure(problem, status);
  const overflow = readOverflow(status, { words, codes: problem?.codes ?? [] }, problem?.certainKind);
  const kind = problem?.certainKind ?? (overflow ? "rejected" : kindOfStatus(status));
  return new ProviderFailure(kind, `HTTP ${status}: ${hideLongQuotes(quoteProvider(words))}`, {
    httpStatus: status,
    retryAfterMs: retryAfterOf(refusal.headers) ?? limitRetry(problem?.retryAfterMs),
    busy: kind === "unavailable" && isBusy(status, problem),
    overflow,
    told: kind === "rejected" ? toldWords(problem) : undefined,
  });
}

/** An error inside a 200 answer; `fallback` is its kind when the words are inconclusive. */
export function failureInside(problem: ProviderProblem | undefined, fallback: ProviderFailureKind): ProviderFailure {
  if (problem?.byModel) return modelFailure(problem);
  const overflow = problem && findOverflow(problem.message.slice(0, MAX_READ), problem.codes);
  const kind = problem?.certainKind ?? (overflow ? "rejected" : (problem?.likelyKind ?? fallback));
  return new ProviderFailure(kind, `error in the answer: ${hideLongQuotes(quoteProvider(problem?.message ?? ""))}`, {
    accepted: true,
    retryAfterMs: limitRetry(problem?.retryAfterMs),
    busy: kind === "unavailable" && isBusy(undefined, problem),
    overflow: kind === "rejected" ? overflow : undefined,
    told: kind === "rejected" ? toldWords(problem) : undefined,
  });
}

/** The same request may succeed, and its provider is well. */
const modelFailure = ({ message }: ProviderProblem, httpStatus?: number): ProviderFailure =>
  new ProviderFailure("malformed", `the model's answer was refused: ${hideLongQuotes(quoteProvider(message))}`, {
    accepted: httpStatus === undefined,
    httpStatus,
    byModel: true,
  });

const toldWords = (problem: ProviderProblem | undefined): string | undefined =>
  (problem && quoteWords(problem.message, maxToldLength)) || undefined;

/** A rate limit counts tokens, too, and is none of it. A 413 says it by its status, from any server, and some servers send it with 500. */
function readOverflow(
  status: number,
  { words, codes }: { words: string; codes: readonly string[] },
  certainKind: ProviderFailureKind | undefined,
): Overflow | undefined {
  if (status === 429 || (certainKind ?? kindOfStatus(status)) === "misconfigured" || certainKind === "unavailable") return undefined;
  const found = findOverflow(words.slice(0, MAX_READ), codes);
  return found ?? (status === 413 ? { unit: "bytes" } : undefined);
}

/** Who can fix it: only time, the operator, or the caller. */
export function kindOfStatus(status: number): ProviderFailureKind {
  if (status === 400 || status === 413 || status === 422) return "rejected";
  // 409 and 425 ask for the same request again; a status below 300 is not a refusal.
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500 || !(status >= 300)) return "unavailable";
  // Groq: "Flex tier capacity exceeded".
  if (status === 498) return "unavailable";
  // 401 to 404 by their meaning; redirects, 405, 410 and the like mean that the base URL is wrong.
  return "misconfigured";
}

/** At most 300 characters of a provider's words for our log. */
export const quoteProvider = (words: string): string => quoteWords(words, maxQuoteLength);

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
