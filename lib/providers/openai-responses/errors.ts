// Errors of Responses: as a body, {error: {message, type, code}} like those of chat completions; inside an answer, the `error` of a failed
// response, {code, message}, or an event of type `error` with code and message of its own.
// Documented at https://platform.openai.com/docs/api-reference/responses/object.

import { failureInside, type HttpRefusal, readHttpRefusal } from "../http-failure";
import { readOpenAIProblem } from "../openai/errors";
import type { ProviderFailure } from "../types";
import { isRecord } from "../wire-value";

/** Never throws. */
export const readResponsesRefusal = (refusal: HttpRefusal): ProviderFailure => readHttpRefusal(refusal, readOpenAIProblem);

/** Codes of a failed response whose cause is the request: its prompt, one of its images, a policy. */
const causedByRequest = /^invalid_|image|policy|prompt/;

/** The failure that an error inside an answer means; unavailable where its code says nothing. */
export function responsesFailure(error: unknown): ProviderFailure {
  const problem = readOpenAIProblem(isRecord(error) ? { error } : error);
  const code = isRecord(error) && typeof error.code === "string" ? error.code : "";
  return failureInside(problem && causedByRequest.test(code) ? { ...problem, likelyKind: "rejected" } : problem, "unavailable");
}
