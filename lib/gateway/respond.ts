// The answer's bodies: the prompt response of the specification, field by field and in its order, and errors.

import { type AppError, errorCatalogue } from "@/lib/base/errors";
import type { RequestId } from "@/lib/base/ids";
import { writeJson } from "@/lib/base/json";
import { usdText } from "@/lib/base/money";
import type { Model } from "@/lib/providers/types";
import { publicUrl } from "./public-url";
import type { GatewayReply, GatewayRequest } from "./request";
import type { Receipt } from "./settlement";

/** The 200 body of POST /api/v1/prompt. */
export function promptBody(requestId: RequestId, model: Model, { completion, inputCost, outputCost }: Receipt): string {
  const { inputTokens, outputTokens } = completion.usage;
  return (
    `{"success":true,"text":${JSON.stringify(completion.text)},"model":${JSON.stringify(model.id)},` +
    `"usage":{"inputTokens":${inputTokens},"outputTokens":${outputTokens},"totalTokens":${inputTokens + outputTokens}},` +
    `"cost":{"inputCost":${usdText(inputCost)},"outputCost":${usdText(outputCost)},"totalCost":${usdText(inputCost + outputCost)}},` +
    `"requestId":"${requestId}"}`
  );
}

/** The body of an error. */
export function errorBody(error: AppError, requestId: RequestId): string {
  const details = { ...error.details, docs: `${publicUrl()}/docs/errors/${error.code}` };
  return writeJson({ error: error.message, code: error.code, details, requestId });
}

/** A JSON reply with every header that this request's answers carry. */
export function jsonReply(request: GatewayRequest, status: number, body: string, headers: Record<string, string> = {}): GatewayReply {
  return {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      ...request.replyHeaders,
      ...headers,
      "x-request-id": request.id,
    },
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

/** The reply for an error, its status and advice from the catalogue. */
export function errorReply(request: GatewayRequest, error: AppError): GatewayReply {
  const { status } = errorCatalogue[error.code];
  const headers = status === 503 && !error.headers["retry-after"] ? { "retry-after": "1", ...error.headers } : error.headers;
  return jsonReply(request, status, errorBody(error, request.id), headers);
}
