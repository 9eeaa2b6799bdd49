// Errors in OpenAI's format, with our code, details and request id inside.

import type { AppError, ErrorCode } from "@/lib/base/errors";
import type { RequestId } from "@/lib/base/ids";
import { writeJson } from "@/lib/base/json";
import { errorDetails } from "../http/endpoint";

/** OpenAI's error types; its client chooses the class of the error that it throws by the status alone. */
const kinds: Partial<Record<ErrorCode, string>> = {
  INVALID_API_KEY: "authentication_error",
  KEY_NOT_ALLOWED: "permission_error",
  INSUFFICIENT_BALANCE: "insufficient_quota",
  SPEND_CAP_REACHED: "insufficient_quota",
  PAYMENT_VERIFICATION_FAILED: "insufficient_quota",
  RATE_LIMIT_EXCEEDED: "rate_limit_error",
  INTERNAL_ERROR: "server_error",
  SETTLEMENT_PENDING: "server_error",
  SERVICE_BUSY: "server_error",
  SHUTTING_DOWN: "server_error",
};

/** `{error: {message, type, param, code, details, requestId}}`; `param` is the field at fault, where there is one. */
export function chatErrorBody(error: AppError, requestId: RequestId): string {
  const { issues } = error.details as { issues?: readonly { path: string }[] };
  const param = error.code === "INVALID_MODEL" ? "model" : issues?.[0]?.path || null;
  const type = kinds[error.code] ?? "invalid_request_error";
  return writeJson({ error: { message: error.message, type, param, code: error.code, details: errorDetails(error), requestId } });
}
