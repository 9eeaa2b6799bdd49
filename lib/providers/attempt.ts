// One attempt at one route: the request, its answer as events, and what that means for the provider. Every error comes out as a
// ProviderFailure that says whether the provider had accepted the call, and never contains the API key.

import { nowMs } from "@/lib/base/clock";
import { deferTelemetry, log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import type { CallOutcome, CircuitBreaker } from "./breaker";
import type { CallBudget } from "./budget";
import type { Endpoint } from "./endpoints";
import { exchangeWhole, readHeaders, sendWireRequest, type WireAnswer } from "./transport";
import {
  isProviderFailure,
  type ModelCall,
  type ModelRoute,
  type OnRequestId,
  type ProviderEvent,
  ProviderFailure,
  type WireFormat,
  type WireRequest,
} from "./types";
import { acceptRequestId, readRawRequestId, readRequestId } from "./wire-value";

const REPLY_LIMIT_BYTES = 16 * 1024 * 1024;
const ERROR_LIMIT_BYTES = 64 * 1024;

export interface Attempt {
  route: ModelRoute;
  endpoint: Endpoint;
  format: WireFormat;
  call: ModelCall;
  budget: CallBudget;
  /** Called when the provider answers 2xx. */
  onAccepted: () => void;
  /** Called after that: with the request id from the headers, then with the answer's id from the body. */
  onRequestId: OnRequestId;
}

/**
 * Sends a streamed call and yields its events; `finish` is the last, and by then the connection is free again. Ending the
 * iteration earlier closes the connection.
 * @throws ProviderFailure
 */
export async function* attemptStream(attempt: Attempt): AsyncGenerator<ProviderEvent, void, undefined> {
  const { route, endpoint, format, budget, onAccepted, onRequestId } = attempt;
  // Outside the try: an error here is our own bug, not the provider's failure.
  const request = writtenRequest(attempt);
  let answer: WireAnswer | undefined;
  let accepted = false;
  let finished = false;
  try {
    answer = await sendWireRequest(endpoint, request, budget);
    const { status, headers, body } = answer;
    if (!isSuccess(status)) throw format.readError(status, headers, (await body.readText(ERROR_LIMIT_BYTES)).text);
    accepted = true;
    onAccepted();
    onRequestId(readRequestId(headers, route.provider));

    let hasOutput = false;
    for await (const event of format.readStream(body, onRequestId)) {
      if (event.type !== "finish") {
        if (!isHandedOn(event, attempt)) continue;
        hasOutput = true;
      } else {
        if (!hasOutput && event.usage === null) throw withoutOutput();
        finished = true;
        body.finish();
      }
      yield event;
      if (finished) return;
    }
    throw new ProviderFailure("malformed", "the answer has no end");
  } catch (error) {
    throw describeFailure(error, attempt, accepted);
  } finally {
    if (!finished) answer?.body.close();
  }
}

/**
 * Sends the call and resolves with all its events, each passed to `note`; `finish` is the last.
 * @throws ProviderFailure; what `note` throws
 */
export async function attemptWhole(attempt: Attempt, note: (event: ProviderEvent) => void): Promise<readonly ProviderEvent[]> {
  const { route, endpoint, format, budget, onAccepted, onRequestId } = attempt;
  const request = writtenRequest(attempt);
  let accepted = false;
  let events: ProviderEvent[];
  try {
    const answer = await exchangeWhole(endpoint, request, budget, (answered, head) => {
      if (!isSuccess(answered)) return ERROR_LIMIT_BYTES;
      accepted = true;
      onAccepted();
      onRequestId(readRawRequestId(head, route.provider));
      return REPLY_LIMIT_BYTES;
    });
    const { status, text, cut } = answer;
    if (!isSuccess(status)) throw format.readError(status, readHeaders(answer), text);
    if (cut) throw new ProviderFailure("malformed", `the answer is longer than ${REPLY_LIMIT_BYTES} bytes`);
    events = format.readReply(text, onRequestId).filter((event) => isHandedOn(event, attempt));
    const last = events.at(-1);
    if (last?.type !== "finish") throw new ProviderFailure("malformed", "the answer has no end");
    if (events.length === 1 && last.usage === null) throw withoutOutput();
  } catch (error) {
    throw describeFailure(error, attempt, accepted);
  }
  // Outside the try, like building the request.
  for (const event of events) note(event);
  return events;
}

/** Adds the route to reasoning. */
function isHandedOn(event: ProviderEvent, { call, route }: Attempt): boolean {
  if (event.type === "reasoning") {
    event.madeBy = route;
    return !call.hidesReasoning;
  }
  return event.type !== "text" || event.text !== "";
}

const writtenRequest = ({ route, endpoint, format, call }: Pick<Attempt, "route" | "endpoint" | "format" | "call">): WireRequest =>
  call.written?.route === route && call.written.endpoint === endpoint
    ? call.written.request
    : format.buildRequest(call, route.wireName, endpoint.apiKey, route.provider, route.entry);

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

const withoutOutput = (): ProviderFailure => new ProviderFailure("malformed", "a complete answer without output and without usage");

/** When the call was stopped, that is the failure, however it surfaced: a format may mistake a closed socket for a broken answer. */
function describeFailure(error: unknown, { route, endpoint, budget }: Attempt, accepted: boolean): ProviderFailure {
  const found = budget.reason ?? error;
  if (!isProviderFailure(found))
    return new ProviderFailure("malformed", `${route.provider}: could not be read: ${hideKey(String(found), endpoint)}`, { accepted });
  const message = `${route.provider}/${route.wireName}: ${hideKey(found.message, endpoint)}`;
  return new ProviderFailure(found.kind, message, {
    accepted: accepted || found.accepted,
    retryAfterMs: found.retryAfterMs,
    httpStatus: found.httpStatus,
    cause: String(found.cause).includes(endpoint.apiKey) ? undefined : found.cause,
  });
}

/** Some providers quote the key that they reject. */
const hideKey = (text: string, { apiKey }: Endpoint): string => text.replaceAll(apiKey, "[key]");

/** What is known of a call so far; times are Unix milliseconds. A new try resets it. */
export interface CallAnswer {
  /** The route that answered 2xx. */
  route?: ModelRoute | undefined;
  /** The provider's own id of the request, at most 128 printable ASCII characters; undefined when it sent none. */
  requestId?: string | undefined;
  acceptedAt?: number | undefined;
  firstTokenAt?: number | undefined;
  /** When the last event or the failure ended the call. */
  endedAt?: number;
}

interface TrialSetup {
  route: ModelRoute;
  breaker: CircuitBreaker;
  /** The breaker's permit to call this provider now. */
  permit: number;
  budget: CallBudget;
  answer: CallAnswer;
}

/**
 * What an attempt means for its provider's breaker and metrics, and what it records about the answer. It counts once: the first
 * outcome wins.
 */
export class Trial {
  readonly #setup: TrialSetup;
  readonly #startedAtMs = performance.now();
  #isOpen = true;

  constructor(setup: TrialSetup) {
    this.#setup = setup;
    const { answer } = setup;
    answer.route = undefined;
    answer.requestId = undefined;
    answer.acceptedAt = undefined;
    answer.firstTokenAt = undefined;
  }

  /** The provider answered 2xx. */
  accept(): void {
    const { answer, route } = this.#setup;
    answer.route = route;
    answer.acceptedAt = nowMs();
  }

  /** Takes an id from the answer, unchecked. The first valid one counts: the header comes before the body. */
  identify(id: unknown): void {
    const { answer } = this.#setup;
    answer.requestId ??= acceptRequestId(id);
  }

  /** Records an event before it is handed on: many readers never ask for what follows the last one. */
  note(event: ProviderEvent): void {
    const { answer, budget } = this.#setup;
    if (event.type === "finish") {
      this.#conclude("ok", "success");
      answer.endedAt = nowMs();
      budget.close();
    } else if (answer.firstTokenAt === undefined) {
      answer.firstTokenAt = nowMs();
      budget.startStreaming();
    }
  }

  /**
   * Returns a failure that another try or route may fix, as long as nothing was handed on.
   * @throws ProviderFailure that nothing can fix: the request is invalid, or the call was stopped; any error of our own
   */
  fail(error: unknown): ProviderFailure {
    if (!isProviderFailure(error)) {
      this.leave();
      throw error;
    }
    const { answer, budget, route } = this.#setup;
    this.#conclude(error.kind, healthOf(error, budget.expired === "end of the answer" && answer.firstTokenAt !== undefined));
    if (error.kind === "misconfigured") reportMisconfigured(route, error);
    // A late first token leaves time for another route; any other stop is the end of the call.
    budget.renew();
    if (error.kind === "rejected" || budget.aborted) throw error;
    return error;
  }

  /** The reader has gone: the rest is not needed. */
  leave(): void {
    this.#conclude("aborted", "neutral");
  }

  #conclude(outcome: "ok" | ProviderFailure["kind"], health: CallOutcome): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { breaker, permit, route } = this.#setup;
    breaker.record(permit, health);
    const seconds = (performance.now() - this.#startedAtMs) / 1_000;
    deferTelemetry(() => {
      metrics().providerCalls.inc({ provider: route.provider, outcome });
      if (outcome === "ok") metrics().providerSeconds.observe({ provider: route.provider }, seconds);
    });
  }
}

function healthOf(failure: ProviderFailure, wasStillComing: boolean): CallOutcome {
  switch (failure.kind) {
    // The provider answered, and correctly.
    case "rejected":
      return "success";
    case "aborted":
    case "misconfigured":
      return "neutral";
    case "unavailable":
    case "malformed":
      return "failure";
    // An answer still arriving when the total time ran out was long; the provider is healthy.
    case "timeout":
      return wasStillComing ? "neutral" : "failure";
  }
}

const REPORT_EVERY_MS = 10_000;

const misconfiguredReports = processSingleton("misconfiguredReports", () => new Map<string, number>());

/** The operator must learn of it, but not thousands of times a second. */
function reportMisconfigured(route: ModelRoute, failure: ProviderFailure): void {
  const reportedAt = misconfiguredReports();
  const name = `${route.provider}/${route.wireName}`;
  const last = reportedAt.get(name);
  if (last !== undefined && nowMs() - last < REPORT_EVERY_MS) return;
  reportedAt.set(name, nowMs());
  log().error(
    { provider: route.provider, wireName: route.wireName, httpStatus: failure.httpStatus, reason: failure.message },
    "a provider refuses our credentials or does not know the model",
  );
}
