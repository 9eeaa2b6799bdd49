// Errors of chat completions: OpenAI and DeepSeek send {error: {message, type, code}}, xAI sends {code, error: "words"},
// and self-hosted servers {message} or {detail}. Documented at https://platform.openai.com/docs/guides/error-codes/api-errors.
// OpenRouter hands on the words of the provider behind it in `metadata.raw`: https://openrouter.ai/docs/api-reference/errors.

import { type HttpRefusal, kindOfStatus, type ProviderProblem, readHttpRefusal } from "../http-failure";
import type { ProviderFailure, ProviderFailureKind } from "../types";
import { isRecord } from "../wire-value";

/** Never throws. */
export function readOpenAIRefusal(refusal: HttpRefusal): ProviderFailure {
  return readHttpRefusal(refusal, readOpenAIProblem);
}

/** Reads an error body, or a 200 answer that contains an error; undefined when it has no known shape. */
export function readOpenAIProblem(body: unknown): ProviderProblem | undefined {
  if (!isRecord(body)) return undefined;
  const error = isRecord(body.error) ? body.error : body;
  const message = wordsBehind(error) ?? wordsOf(error.message) ?? wordsOf(body.error) ?? wordsOf(body.detail);
  if (message === undefined && !isRecord(body.error)) return undefined;
  const words = message ?? "";
  const codes = [error.code, error.type].filter((code) => typeof code === "string" || typeof code === "number").map(String);
  const byModel = codes.some((code) => modelCodes.includes(code));
  if (byModel) return { message: words, codes, byModel };
  return { message: words, codes, certainKind: certainKindOf(codes, words), likelyKind: likelyKindOf(codes, words) };
}

/** A text, or FastAPI's list of faults (vLLM, Mistral): `[{loc: ["body", "messages"], msg}]`, also as `{detail: […]}`. */
function wordsOf(message: unknown): string | undefined {
  if (typeof message === "string") return message;
  const faults = isRecord(message) ? message.detail : message;
  const [first] = Array.isArray(faults) ? faults : [];
  if (!isRecord(first) || typeof first.msg !== "string") return undefined;
  const place = Array.isArray(first.loc) ? first.loc.filter((part) => part !== "body").join(".") : "";
  return place === "" ? first.msg : `${place}: ${first.msg}`;
}

/** Of the provider behind OpenRouter, in its own form. */
function wordsBehind({ metadata }: Record<string, unknown>): string | undefined {
  if (!isRecord(metadata) || typeof metadata.raw !== "string") return undefined;
  try {
    const raw: unknown = JSON.parse(metadata.raw);
    const holder = isRecord(raw) && isRecord(raw.error) ? raw.error : raw;
    return isRecord(holder) ? wordsOf(holder.message) : undefined;
  } catch {
    // Words without a form.
    return metadata.raw;
  }
}

// Groq refuses its own model's text, a call or JSON of the wrong form, as if the request were at fault: with 400 (sipeed/picoclaw#748), or
// inside a stream (recorded in pydantic-ai's tests/models/cassettes/test_groq).
const modelCodes = ["tool_use_failed", "json_validate_failed"];

// Codes that only the operator can fix, although they come as 400 or 429.
const operatorCodes = ["insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "invalid_api_key", "model_not_found"];

function certainKindOf(codes: string[], words: string): ProviderFailureKind | undefined {
  if (codes.some((code) => operatorCodes.includes(code))) return "misconfigured";
  // xAI answers a wrong key with 400 and spent credits with 429 or 403; only the words distinguish them.
  if (/incorrect api key|used all available credits/i.test(words)) return "misconfigured";
  // Groq refuses a prompt that is above our own tokens a minute with 413: another route may take it.
  if (codes.includes("rate_limit_exceeded")) return "unavailable";
  // xAI answers 403 to a prompt that its safety check refuses, which is not the operator's fault.
  if (/violates usage guidelines/i.test(words)) return "rejected";
  return undefined;
}

function likelyKindOf(codes: string[], words: string): ProviderFailureKind | undefined {
  const status = codes.map(Number).find((code) => code >= 400 && code <= 599);
  if (status !== undefined) return kindOfStatus(status);
  const text = codes.join(" ");
  if (/rate_limit|server_error|overloaded|slow_down|timeout|exhausted/i.test(text) || /unavailable|overloaded/i.test(`${text} ${words}`))
    return "unavailable";
  if (/authentication|permission|not_found/i.test(text)) return "misconfigured";
  if (/invalid|context_length|bad_request/i.test(text)) return "rejected";
  return undefined;
}
