// The effects of one try at a route: on its provider's breaker and metrics, and on the facts of the answer.

import { nowMs } from "@/lib/base/clock";
import { deferTelemetry, log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import type { AttemptListener } from "./attempt";
import type { CallOutcome, RecordCall } from "./breaker";
import type { CallBudget } from "./budget";
import type { ModelRoute } from "./model-route";
import { isProviderFailure, type ProviderEvent, type ProviderFailure, type TokenUsage } from "./types";
import { acceptRequestId, largestUsage } from "./wire-value";

/** The facts of a call so far; times are Unix milliseconds. A new try resets it. */
export interface CallAnswer {
  /** The route that answered 2xx. */
  route?: ModelRoute | undefined;
  /** The provider's own id of the request, at most 128 printable ASCII characters; undefined when it sent none. */
  requestId?: string | undefined;
  acceptedAt?: number | undefined;
  /** The route whose request went out last, unless its provider refused it or could not be reached. */
  sentTo?: ModelRoute | undefined;
  /** The counts of a stream so far; of each kind the largest. */
  counted?: TokenUsage | undefined;
  /** The model's thoughts in words, as far as the call hides them. */
  hiddenThoughts?: string | undefined;
  firstTokenAt?: number | undefined;
  /** When the last event or the failure ended the call. */
  endedAt?: number;
}

interface TrialSetup {
  route: ModelRoute;
  /** Tells the provider's breaker, which admitted the call. */
  recordCall: RecordCall;
  budget: CallBudget;
  answer: CallAnswer;
}

/**
 * Reports an attempt to its provider's breaker and metrics, and records the facts of its answer. It counts once: the first outcome wins.
 */
export class Trial {
  /** Takes the reports of an attempt about its answer. */
  readonly listener: AttemptListener = {
    onAccepted: () => this.#accept(),
    onRequestId: (id) => this.#identify(id),
    onUsage: (usage) => this.#count(usage),
    onHiddenThought: (text) => this.#hide(text),
    onSent: () => this.#send(),
  };
  readonly #setup: TrialSetup;
  readonly #startedAtMs = performance.now();
  #isOpen = true;

  constructor(setup: TrialSetup) {
    this.#setup = setup;
    const { answer } = setup;
    answer.route = undefined;
    answer.requestId = undefined;
    answer.acceptedAt = undefined;
    answer.sentTo = undefined;
    answer.counted = undefined;
    answer.hiddenThoughts = undefined;
    answer.firstTokenAt = undefined;
  }

  /** The provider answered 2xx. */
  #accept(): void {
    const { answer, route } = this.#setup;
    answer.route = route;
    answer.acceptedAt = nowMs();
  }

  /** The request goes out on a connection. */
  #send(): void {
    this.#setup.answer.sentTo = this.#setup.route;
  }

  #count(usage: TokenUsage): void {
    const { answer } = this.#setup;
    answer.counted = largestUsage(answer.counted, usage);
  }

  #hide(text: string): void {
    const { answer } = this.#setup;
    answer.hiddenThoughts = (answer.hiddenThoughts ?? "") + text;
  }

  /** Takes an id from the answer, unchecked. The first valid one counts: the header comes before the body. */
  #identify(id: unknown): void {
    const { answer } = this.#setup;
    answer.requestId ??= acceptRequestId(id);
  }

  /** Records an event before it is handed on: many readers never ask for more after the last one. */
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
    if (error.kind !== "aborted" && !error.accepted) answer.sentTo = undefined;
    const wasStillComing = budget.expired === "end of the answer" && answer.firstTokenAt !== undefined;
    this.#conclude(error.kind, healthOf(error, wasStillComing), error.busy);
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

  #conclude(outcome: "ok" | ProviderFailure["kind"], health: CallOutcome, busy = false): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { recordCall, route } = this.#setup;
    recordCall(health, busy);
    const seconds = (performance.now() - this.#startedAtMs) / 1_000;
    deferTelemetry(() => {
      metrics().providerCalls.inc({ provider: route.provider, outcome });
      if (outcome === "ok") metrics().providerSeconds.observe({ provider: route.provider }, seconds);
    });
  }
}

function healthOf(failure: ProviderFailure, wasStillComing: boolean): CallOutcome {
  if (failure.byModel) return "success";
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
