// Which provider answers a call: the routes of its model in order, each tried again while that can help, none that has
// lately been failing. All of it happens before the first token; what was handed on once is never asked for twice.

import { nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { once } from "@/lib/base/once";
import { attemptStream, attemptWhole } from "./attempt";
import { breakerOf, type CallOutcome, type CircuitBreaker } from "./breaker";
import type { BudgetLimits, CallBudget } from "./budget";
import type { Endpoint, Endpoints } from "./endpoints";
import { planRetry } from "./retry";
import {
  isProviderFailure,
  type Model,
  type ModelCall,
  type ModelRoute,
  type ProviderEvent,
  ProviderFailure,
  type WireFormat,
  type WireFormatId,
} from "./types";

export interface RoutingSetup {
  endpoints: Endpoints;
  formats: Record<WireFormatId, WireFormat>;
  limits: BudgetLimits & { PROVIDER_RETRIES: number };
}

/** What is known of a call so far; times are Unix milliseconds. A new try forgets what the last one had. */
export interface CallAnswer {
  /** Who answered 2xx. */
  route?: ModelRoute;
  acceptedAt?: number;
  firstTokenAt?: number;
  /** The last event, or the failure that ended the call. */
  endedAt?: number;
}

export interface RoutedCall {
  model: Model;
  call: ModelCall;
  budget: CallBudget;
  answer: CallAnswer;
  setup: RoutingSetup;
}

/** A JSON answer comes whole, so its first byte waits for its last token: one more first-token budget for so many. */
const JSON_TOKENS_PER_BUDGET = 2_048;

/**
 * Yields the events of the first route that answers.
 * @throws ProviderFailure of the last route that was asked
 */
export async function* streamFromRoutes(routed: RoutedCall): AsyncGenerator<ProviderEvent, undefined, undefined> {
  const { model, call, budget, answer, setup } = routed;
  const limitMs = setup.limits.PROVIDER_FIRST_TOKEN_TIMEOUT_MS;
  const firstTokenMs = call.stream ? limitMs : limitMs * (1 + call.maxOutputTokens / JSON_TOKENS_PER_BUDGET);
  let failure: ProviderFailure | undefined;
  try {
    for (const route of model.routes) {
      const endpoint = setup.endpoints.get(route.provider);
      if (!endpoint) continue;
      budget.awaitFirstToken(firstTokenMs);
      for (let attempt = 0; ; attempt += 1) {
        const breaker = breakerOf(route.provider, endpoint.origin);
        const permit = breaker.admit();
        if (permit === null) {
          // Only when nobody was asked: a real failure says more.
          failure ??= new ProviderFailure("unavailable", `${route.provider}: the circuit is open`, {
            retryAfterMs: breaker.retryAfterMs(),
          });
          break;
        }
        const result = yield* tryRoute(routed, { route, endpoint, breaker, permit });
        if (result === "complete") return undefined;
        failure = result;
        const retryInMs = planRetry({
          failure,
          attempt,
          retries: setup.limits.PROVIDER_RETRIES,
          remainingMs: budget.remainingMs(),
          random: Math.random(),
        });
        if (retryInMs === null) break;
        await budget.pause(retryInMs);
      }
    }
    throw failure ?? new ProviderFailure("unavailable", `no provider of ${model.id} is configured`);
  } finally {
    answer.endedAt ??= nowMs();
    budget.close();
  }
}

interface Try {
  route: ModelRoute;
  endpoint: Endpoint;
  breaker: CircuitBreaker;
  permit: number;
}

/**
 * One try at one route, and its place in breaker and metrics. Returns a failure that another try or route may mend.
 * @throws ProviderFailure that nothing can mend: text was handed on, the request is at fault, or the call was stopped
 */
async function* tryRoute(
  { call, budget, answer, setup }: RoutedCall,
  { route, endpoint, breaker, permit }: Try,
): AsyncGenerator<ProviderEvent, "complete" | ProviderFailure, undefined> {
  const startedAtMs = performance.now();
  let isOpen = true;
  const conclude = (outcome: "ok" | ProviderFailure["kind"], health: CallOutcome) => {
    if (!isOpen) return;
    isOpen = false;
    breaker.record(permit, health);
    metrics().providerCalls.inc({ provider: route.provider, outcome });
    if (outcome === "ok") metrics().providerSeconds.observe({ provider: route.provider }, (performance.now() - startedAtMs) / 1_000);
  };
  Object.assign(answer, { route: undefined, acceptedAt: undefined, firstTokenAt: undefined });
  const onAccepted = () => {
    answer.route = route;
    answer.acceptedAt = nowMs();
  };
  try {
    const attempt = { route, endpoint, format: setup.formats[endpoint.format], call, budget, onAccepted };
    for await (const event of call.stream ? attemptStream(attempt) : await attemptWhole(attempt)) {
      if (event.type === "finish") {
        // Before the event is handed on: many readers never ask for what comes after the last one.
        conclude("ok", "success");
        answer.endedAt = nowMs();
        budget.close();
      } else if (answer.firstTokenAt === undefined) {
        answer.firstTokenAt = nowMs();
        budget.startStreaming();
      }
      yield event;
    }
    return "complete";
  } catch (error) {
    if (!isProviderFailure(error)) throw error;
    conclude(error.kind, healthOf(error, budget.expired === "end of the answer" && answer.firstTokenAt !== undefined));
    if (error.kind === "misconfigured") reportMisconfigured(route, error);
    // A first token that is late leaves time for another route; any other stop is the end of the call.
    budget.renew();
    if (answer.firstTokenAt !== undefined || error.kind === "rejected" || budget.aborted) throw error;
    return error;
  } finally {
    conclude("aborted", "neutral");
  }
}

function healthOf(failure: ProviderFailure, wasStillComing: boolean): CallOutcome {
  switch (failure.kind) {
    // It answered, and rightly.
    case "rejected":
      return "success";
    case "aborted":
    case "misconfigured":
      return "neutral";
    case "unavailable":
    case "malformed":
      return "failure";
    // An answer that was still coming when our patience ended was long, not ill.
    case "timeout":
      return wasStillComing ? "neutral" : "failure";
  }
}

const REPORT_EVERY_MS = 10_000;

/** The operator must hear of it, but not thousands of times a second. */
function reportMisconfigured(route: ModelRoute, failure: ProviderFailure): void {
  const reportedAt = once("misconfiguredReports", () => new Map<string, number>());
  const name = `${route.provider}/${route.wireName}`;
  const last = reportedAt.get(name);
  if (last !== undefined && nowMs() - last < REPORT_EVERY_MS) return;
  reportedAt.set(name, nowMs());
  log().error(
    { provider: route.provider, wireName: route.wireName, httpStatus: failure.httpStatus, reason: failure.message },
    "a provider refuses our credentials or does not know the model",
  );
}
