// Errors of Anthropic's Messages API: {type: "error", error: {type, message}}, as a body and as an event of a stream.
// Documented at https://docs.anthropic.com/en/api/errors.

import { type HttpRefusal, type ProviderProblem, readHttpRefusal } from "../http-failure";
import type { ProviderFailure, ProviderFailureKind } from "../types";
import { isRecord } from "../wire-value";

/** Never throws. */
export function readAnthropicRefusal(refusal: HttpRefusal): ProviderFailure {
  return readHttpRefusal(refusal, readAnthropicProblem);
}

/** Reads an error body or event; undefined when it has no known form. */
export function readAnthropicProblem(body: unknown): ProviderProblem | undefined {
  if (!isRecord(body) || !isRecord(body.error)) return undefined;
  const { type, message } = body.error;
  const words = typeof message === "string" ? message : "";
  return {
    message: words,
    codes: typeof type === "string" ? [type] : [],
    certainKind: isOperators.test(words) ? "misconfigured" : undefined,
    likelyKind: typeof type === "string" ? kindOfErrorType(type) : undefined,
  };
}

/** An account that may not go on gets 400 invalid_request_error; only the message distinguishes it from a bad request. */
const isOperators = /credit balance is too low|organization has been disabled|reached your specified API usage limits/i;

function kindOfErrorType(type: string): ProviderFailureKind | undefined {
  switch (type) {
    case "invalid_request_error":
    case "request_too_large":
      return "rejected";
    case "authentication_error":
    case "billing_error":
    case "permission_error":
    case "not_found_error":
      return "misconfigured";
    case "rate_limit_error":
    case "timeout_error":
    case "api_error":
    case "overloaded_error":
      return "unavailable";
    default:
      return undefined;
  }
}
