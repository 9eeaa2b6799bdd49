// Replies: the headers that all of them carry, and errors.

import { type AppError, errorCatalogue } from "@/lib/base/errors";
import type { RequestId } from "@/lib/base/ids";
import { writeJson } from "@/lib/base/json";
import { publicUrl } from "@/lib/base/public-url";
import type { GatewayReply, GatewayRequest } from "./request";

/** The body of an error. */
export function errorBody(error: AppError, requestId: RequestId): string {
  return writeJson({ error: error.message, code: error.code, details: errorDetails(error), requestId });
}

/** An error's details with a link to our page on its code. */
export const errorDetails = (error: AppError): AppError["details"] => ({
  ...error.details,
  docs: `${publicUrl()}/docs/errors/${error.code}`,
});

/** A JSON reply with every header that this request's answers carry. */
export function jsonReply(request: GatewayRequest, status: number, body: string, headers?: Record<string, string>): GatewayReply {
  // A request has one answer, so its headers become the answer's, name by name: a copy of them costs as much as the rest.
  const all = request.replyHeaders;
  all["x-request-id"] = request.id;
  all["content-type"] = "application/json; charset=utf-8";
  all["cache-control"] = "no-store";
  if (headers) Object.assign(all, headers);
  return {
    status,
    headers: all,
    body,
    end: request.end,
  };
}

/** Headers of server-sent events; the last one keeps nginx from collecting them. */
export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** How long a request took us and the provider, in milliseconds. */
export function serverTiming(request: GatewayRequest): string {
  const total = performance.now() - request.startedAt;
  const provider = request.providerMs ?? 0;
  return `gateway;dur=${Math.max(0, total - provider).toFixed(2)}, provider;dur=${provider.toFixed(2)}`;
}

/** The reply for an error, its status and advice from the catalogue. `writeBody` is another endpoint's form of it. */
export function errorReply(request: GatewayRequest, error: AppError, writeBody = errorBody): GatewayReply {
  const { status } = errorCatalogue[error.code];
  const headers: Record<string, string> = { ...error.headers };
  if (status === 503) headers["retry-after"] ??= "1";
  // OpenAI's clients try every 5xx again unless they are told.
  if (error.details.retryable === false) headers["x-should-retry"] = "false";
  return jsonReply(request, status, writeBody(error, request.id), headers);
}
