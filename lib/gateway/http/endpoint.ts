// What surrounds every endpoint: whatever is thrown becomes the contract's error, every answer gets its headers, its line in
// the log and its metrics, and the request is ended when its answer is.

import { clientAddress, trustedProxies } from "@/lib/access/client-address";
import { writeLimitHeaders } from "@/lib/access/limits/entry";
import { failedAuth } from "@/lib/access/limits/failed-auth";
import { countRequest, uncountRequest } from "@/lib/base/busy-poll";
import { AppError, isAppError } from "@/lib/base/errors";
import { deferTelemetry, log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import type { GatewayReply, GatewayRequest } from "./request";
import { type errorBody, errorReply } from "./respond";

interface Outcome {
  status: number;
  code: string;
  /** Monotonic milliseconds. */
  endedAt: number;
}

export type Endpoint = (request: GatewayRequest) => Promise<GatewayReply>;

/** Makes an endpoint of its steps. `name` is its label in metrics and logs, `writeError` the form of its errors if it has one of its own. */
export function endpoint(name: string, steps: Endpoint, writeError?: typeof errorBody): Endpoint {
  return async (request) => {
    countRequest();
    const outcome: Outcome = { status: 0, code: "", endedAt: 0 };
    // First on the stack, so last to run: settling on the way out adds to the facts.
    request.onEnd(() => {
      uncountRequest();
      outcome.endedAt = performance.now();
      deferTelemetry(() => note(name, request, outcome));
    });
    let reply: GatewayReply;
    try {
      reply = await steps(request);
    } catch (error) {
      const known = isAppError(error) ? error : unexpected(error, request);
      outcome.code = known.code;
      logError(known, request);
      reply = errorReply(request, known, writeError);
    }
    if (!reply.headers.ratelimit) writeAddressLimit(request, reply);
    outcome.status = reply.status;
    // A whole body needs nothing more from us; the slot it held is free before the client has read it.
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

/** A caller without an account is limited by its address; those are the limits its answer tells. */
function writeAddressLimit(request: GatewayRequest, reply: GatewayReply): void {
  const address = clientAddress(request.remoteAddress, request.headers["x-forwarded-for"], trustedProxies());
  writeLimitHeaders(reply.headers, failedAuth().state(address));
}

function note(endpointName: string, request: GatewayRequest, { status, code, endedAt }: Outcome): void {
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

const round = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : Math.round(ms * 100) / 100);
