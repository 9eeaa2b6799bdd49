// Errors in Anthropic's format, with its statuses, and our code and details inside: docs.anthropic.com/en/api/errors.

import { type AppError, errorCatalogue } from "@/lib/base/errors";
import type { RequestId } from "@/lib/base/ids";
import { writeJson } from "@/lib/base/json";
import type { Overflow } from "@/lib/providers/refusal/overflow";
import { errorDetails } from "../http/endpoint";
import { readOverflow } from "../prompt/context-overflow";

const isTooLarge = ({ details }: AppError): boolean => details.reason === "too_large" || details.reason === "request_too_large";

/** Anthropic answers 413 for a body that is too large; the other statuses are the catalogue's. */
export const messagesStatus = (error: AppError): number =>
  isTooLarge(error) ? 413 : (errorCatalogue[error.code].anthropic.status ?? errorCatalogue[error.code].status);

/** `{type: "error", error: {type, message, code, details}, request_id}` */
export function messagesErrorBody(error: AppError, requestId: RequestId): string {
  const type = isTooLarge(error) ? "request_too_large" : errorCatalogue[error.code].anthropic.type;
  const overflow = readOverflow(error);
  const message = overflow ? overflowWords(overflow) : error.message;
  const inner = { type, message, code: error.code, details: errorDetails(error) };
  return writeJson({ type: "error", error: inner, request_id: requestId });
}

/**
 * Anthropic's own words. Claude Code compacts when it reads "prompt is too long", by as much as the two numbers say, and asks for less output
 * when it reads the sum (both found in 2.1.332).
 */
function overflowWords({ unit, given, output, limit }: Overflow): string {
  if (unit === "bytes") return "Request exceeds the maximum size";
  if (limit === undefined) return "prompt is too long: it exceeds the context window of this model";
  if (given === undefined) return `prompt is too long: it exceeds the maximum of ${limit} tokens`;
  if (output === undefined || given > limit) return `prompt is too long: ${given} tokens > ${limit} maximum`;
  const sum = `${given} + ${output} > ${limit}`;
  return `input length and \`max_tokens\` exceed context limit: ${sum}, decrease input length or \`max_tokens\` and try again`;
}
