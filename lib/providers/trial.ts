// One try at one route: what it means for the provider's breaker and metrics, and what it makes known of the answer.

import { nowMs } from "@/lib/base/clock";
import { deferTelemetry, log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { once } from "@/lib/base/process-singleton";
import type { CallOutcome, CircuitBreaker } from "./breaker";
import type { CallBudget } from "./budget";
import { acceptRequestId } from "./request-id";
import { isProviderFailure, type ModelRoute, type ProviderEvent, type ProviderFailure } from "./types";

/** What is known of a call so far; times are Unix milliseconds. A new try forgets what the last one had. */
export interface CallAnswer {
  /** Who answered 2xx. */
  route?: ModelRoute | undefined;
  /** The provider's own id of the request, at most 128 printable ASCII characters; undefined when it sent none. */
  requestId?: string | undefined;
  acceptedAt?: number | undefined;
  firstTokenAt?: number | undefined;
  /** The last event, or the failure that ended the call. */
  endedAt?: number;
}

interface TrialSetup {
  route: ModelRoute;
  breaker: CircuitBreaker;
  /** The breaker's, to ask this provider now. */
  permit: number;
  budget: CallBudget;
  answer: CallAnswer;
}

/** Counts once, as whatever it was first told to have come to. */
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

  /** The answer gave an id, unchecked. The first valid one counts: the header comes before the body. */
  identify(id: unknown): void {
    const { answer } = this.#setup;
    answer.requestId ??= acceptRequestId(id);
  }

  /** An event is there, and is handed on next: many readers never ask for what comes after the last one. */
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
   * Returns a failure that another try or route may mend, as long as nothing was handed on.
   * @throws ProviderFailure that nothing can mend: the request is at fault, or the call was stopped; an error that is our own
   */
  fail(error: unknown): ProviderFailure {
    if (!isProviderFailure(error)) {
      this.leave();
      throw error;
    }
    const { answer, budget, route } = this.#setup;
    this.#conclude(error.kind, healthOf(error, budget.expired === "end of the answer" && answer.firstTokenAt !== undefined));
    if (error.kind === "misconfigured") reportMisconfigured(route, error);
    // A first token that is late leaves time for another route; any other stop is the end of the call.
    budget.renew();
    if (error.kind === "rejected" || budget.aborted) throw error;
    return error;
  }

  /** Nobody waits for the rest any more. */
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
