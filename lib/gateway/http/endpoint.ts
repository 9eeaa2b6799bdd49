// Wraps every endpoint: any error becomes the contract's error, every answer gets its headers, a log line and metrics, and the request ends
// with its answer. While the process shuts down, running requests finish and new ones are refused.

import { setMaxListeners } from "node:events";
import { recordFailedRequest } from "@/lib/access/failures/record-failed";
import { failedAuth } from "@/lib/access/limits/failed-auth";
import { countRequest, uncountRequest } from "@/lib/base/busy-poll";
import { AppError, type ErrorCode, errorCatalogue, isAppError } from "@/lib/base/errors";
import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { writeJson } from "@/lib/base/json";
import { deferTelemetry, log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { publicUrl } from "@/lib/base/public-url";
import { addressOf, writeLimitHeaders } from "./caller";
import type { GatewayReply, GatewayRequest } from "./request";

interface Outcome {
  status: number;
  code: string;
  /** Monotonic milliseconds. */
  endedAt: number;
}

export type Endpoint = (request: GatewayRequest) => Promise<GatewayReply>;

export interface EndpointTraits {
  /** Its own error format, if it has one. */
  writeError?: typeof errorBody;
  /** Its own statuses, where they differ from the catalogue's. */
  statusOf?: (error: AppError) => number;
  /** It sells answers: its refusals and failures are kept for the caller's owner. */
  keepsFailures?: boolean;
}

/** Creates an endpoint from its steps. `name` is its label in metrics and logs. */
export function endpoint(name: string, steps: Endpoint, { writeError, statusOf, keepsFailures = false }: EndpointTraits = {}): Endpoint {
  return async (request) => {
    countRequest();
    const outcome: Outcome = { status: 0, code: "", endedAt: 0 };
    // First on the stack, so it runs last: settling at the end adds to the facts.
    request.onEnd(() => {
      uncountRequest();
      outcome.endedAt = performance.now();
      deferTelemetry(() => {
        if (keepsFailures) recordFailure(name, request, outcome.code);
        recordRequest(name, request, outcome);
      });
    });
    let reply: GatewayReply;
    try {
      reply = await steps(request);
    } catch (error) {
      const known = isAppError(error) ? error : unexpected(error, request);
      outcome.code = known.code;
      logError(known, request);
      reply = errorReply(request, known, { writeError, statusOf });
    }
    if (!reply.headers.ratelimit) writeAddressLimit(request, reply);
    outcome.status = reply.status;
    // A whole body needs no further work: its slot is free before the client has read it.
    const ending = typeof reply.body === "string" ? request.end() : undefined;
    if (ending) await ending;
    return reply;
  };
}

function unexpected(error: unknown, request: GatewayRequest): AppError {
  log().error({ err: error, requestId: request.id }, "a request failed unexpectedly");
  return new AppError("INTERNAL_ERROR", { details: { reason: "internal", retryable: true }, cause: error });
}

function logError(error: AppError, request: GatewayRequest): void {
  if (error.status >= 500) log().warn({ requestId: request.id, code: error.code, ...error.context }, error.message);
}

/** A caller without an account is limited by its address, so the headers show those limits. */
function writeAddressLimit(request: GatewayRequest, reply: GatewayReply): void {
  writeLimitHeaders(reply.headers, failedAuth().state(addressOf(request)));
}

function recordRequest(endpointName: string, request: GatewayRequest, { status, code, endedAt }: Outcome): void {
  const ms = endedAt - request.startedAt;
  metrics().requests.inc({ endpoint: endpointName, status, code });
  metrics().requestSeconds.observe({ endpoint: endpointName }, ms / 1000);
  if (request.providerMs !== undefined) metrics().gatewaySeconds.observe(Math.max(0, ms - request.providerMs) / 1000);
  log().info(
    {
      requestId: request.id,
      endpoint: endpointName,
      status,
      code: code || undefined,
      ms: round(ms),
      providerMs: round(request.providerMs),
      ...request.facts,
    },
    "answered",
  );
}

/** A request's facts, as its steps left them. */
interface CallFacts {
  accountId?: AccountId;
  keyId?: KeyId;
  model?: string;
  /** The code of the error that ended a stream. */
  brokeOff?: ErrorCode;
}

function recordFailure(name: string, request: GatewayRequest, outcomeCode: string): void {
  const { accountId, keyId = null, model = null, brokeOff } = request.facts as CallFacts;
  const code = brokeOff ?? (outcomeCode as ErrorCode | "");
  if (code === "" || !accountId) return;
  recordFailedRequest({ requestId: request.id, accountId, keyId, endpoint: name, model, status: errorCatalogue[code].status, code });
}

const round = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : Math.round(ms * 100) / 100);

/** The body of an error. */
export function errorBody(error: AppError, requestId: RequestId): string {
  return writeJson({ error: error.message, code: error.code, details: errorDetails(error), requestId });
}

/** An error's details with a link to our page on its code. */
export const errorDetails = (error: AppError): AppError["details"] => ({
  ...error.details,
  docs: `${publicUrl()}/docs/errors/${error.code}`,
});

/** A JSON reply with every header that answers to this request carry. */
export function jsonReply(request: GatewayRequest, status: number, body: string, headers?: Record<string, string>): GatewayReply {
  // A request has one answer, so its own header object is extended in place: a copy of it would cost as much as the rest.
  const all = request.replyHeaders;
  all["x-request-id"] = request.id;
  all["content-type"] = "application/json; charset=utf-8";
  all["cache-control"] = "no-store";
  all["x-content-type-options"] = "nosniff";
  if (headers) Object.assign(all, headers);
  return {
    status,
    headers: all,
    body,
    end: request.end,
  };
}

/** Headers of server-sent events; the last one stops nginx from buffering them. */
export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-accel-buffering": "no",
};

/** How long a request took in the gateway and at the provider, in milliseconds. */
export function serverTiming(request: GatewayRequest): string {
  const total = performance.now() - request.startedAt;
  const provider = request.providerMs ?? 0;
  return `gateway;dur=${Math.max(0, total - provider).toFixed(2)}, provider;dur=${provider.toFixed(2)}`;
}

/** The reply for an error, with status and advice from the catalogue. `writeBody` is an endpoint's own error format. */
export function errorReply(
  request: GatewayRequest,
  error: AppError,
  { writeError = errorBody, statusOf = ({ status }) => status }: Pick<EndpointTraits, "writeError" | "statusOf"> = {},
): GatewayReply {
  const status = statusOf(error);
  const headers: Record<string, string> = { ...error.headers };
  if (status === 503) headers["retry-after"] ??= "1";
  // OpenAI's clients retry every 5xx unless this header forbids it.
  if (error.details.retryable === false) headers["x-should-retry"] = "false";
  return jsonReply(request, status, writeError(error, request.id), headers);
}

const drain = processSingleton("gateway drain", createDrain);

function createDrain(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // one listener for each open stream of a page
  return controller;
}

/** From now on new requests get 503 SHUTTING_DOWN; running ones finish. */
export function refuseNewRequests(): void {
  drain().abort();
}

/** True once new requests are refused. */
export const isDraining = (): boolean => drain().signal.aborted;

/** Aborts when the process begins to shut down: for streams that would otherwise never end. */
export const drainSignal = (): AbortSignal => drain().signal;
