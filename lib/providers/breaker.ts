// Circuit breakers, one per provider and origin, and one for each of its models that was too busy: a provider or model that keeps failing
// gets no calls for a while, so that callers are refused (or sent to a fallback) at once, and one call at a time probes whether it has
// recovered. A provider that says that one model is overloaded, or limits its rate, still answers for the others.

import { nowMs } from "@/lib/base/clock";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import type { ProviderId } from "./model-route";

const CONSECUTIVE_FAILURES = 5;
const WINDOW_MS = 30_000;
const WINDOW_MIN_CALLS = 20;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const SLICES = 6;
const SLICE_MS = WINDOW_MS / SLICES;

/** `neutral` says nothing about the provider's health: the caller gave up, or our own key was refused. */
export type CallOutcome = "success" | "failure" | "neutral";

interface Slice {
  startMs: number;
  calls: number;
  failures: number;
}

export class CircuitBreaker {
  readonly #onChange: (isOpen: boolean) => void;
  #slices: Slice[] = [];
  #consecutiveFailures = 0;
  #pauseMs = 0;
  #openUntilMs = 0;
  #openedAtMs: number | null = null;
  /** Counts state changes: the outcome of a call admitted in an earlier state is ignored. */
  #epoch = 1;

  constructor(onChange: (isOpen: boolean) => void = () => undefined) {
    this.#onChange = onChange;
  }

  /** A permit to hand to `record`, or null while the circuit is open. */
  admit(): number | null {
    if (this.#pauseMs === 0) return this.#epoch;
    const now = nowMs();
    if (now < this.#openUntilMs) return null;
    // One probe. If it never returns, the next one may go after another pause.
    this.#openUntilMs = now + this.#pauseMs;
    this.#epoch += 1;
    return this.#epoch;
  }

  /** Unix milliseconds since when the circuit is open; null while it is closed. */
  get openedAtMs(): number | null {
    return this.#openedAtMs;
  }

  /** Milliseconds until the next probe may go. */
  retryAfterMs(): number {
    return Math.max(0, this.#openUntilMs - nowMs());
  }

  /** Records how the call with that permit went. */
  record(permit: number, outcome: CallOutcome): void {
    if (permit !== this.#epoch) return;
    if (this.#pauseMs > 0) this.#recordProbe(outcome);
    else if (outcome !== "neutral") this.#recordCall(outcome === "failure");
  }

  #recordProbe(outcome: CallOutcome): void {
    if (outcome === "success") {
      this.#epoch += 1;
      this.#pauseMs = 0;
      this.#consecutiveFailures = 0;
      this.#slices = [];
      this.#openedAtMs = null;
      this.#onChange(false);
    } else if (outcome === "failure") {
      this.#open(Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS));
    } else {
      // The probe showed nothing, so the next call may probe at once.
      this.#epoch += 1;
      this.#openUntilMs = nowMs();
    }
  }

  #recordCall(failed: boolean): void {
    const now = nowMs();
    const slice = this.#currentSlice(now);
    slice.calls += 1;
    if (!failed) {
      this.#consecutiveFailures = 0;
      return;
    }
    slice.failures += 1;
    this.#consecutiveFailures += 1;
    if (this.#consecutiveFailures >= CONSECUTIVE_FAILURES || this.#mostlyFails(now)) this.#open(FIRST_PAUSE_MS);
  }

  #currentSlice(now: number): Slice {
    const last = this.#slices.at(-1);
    if (last && now - last.startMs < SLICE_MS) return last;
    const slice = { startMs: now, calls: 0, failures: 0 };
    this.#slices.push(slice);
    if (this.#slices.length > SLICES) this.#slices.shift();
    return slice;
  }

  #mostlyFails(now: number): boolean {
    let calls = 0;
    let failures = 0;
    for (const slice of this.#slices) {
      if (now - slice.startMs >= WINDOW_MS) continue;
      calls += slice.calls;
      failures += slice.failures;
    }
    return calls >= WINDOW_MIN_CALLS && failures * 2 >= calls;
  }

  #open(pauseMs: number): void {
    this.#epoch += 1;
    this.#pauseMs = pauseMs;
    this.#openUntilMs = nowMs() + pauseMs;
    this.#openedAtMs ??= nowMs();
    this.#onChange(true);
  }
}

/** How the call that it admitted went; `busy` says of a failure that the provider works, and the model has too much to do. */
export type RecordCall = (outcome: CallOutcome, busy: boolean) => void;

export class ProviderBreaker {
  readonly #provider: ProviderId;
  readonly #own: CircuitBreaker;
  /** By wire name, those that were ever too busy: no more than the catalogue has. */
  readonly #models = new Map<string, CircuitBreaker>();

  constructor(provider: ProviderId) {
    this.#provider = provider;
    this.#own = new CircuitBreaker((isOpen) => metrics().circuitOpen.set({ provider }, isOpen ? 1 : 0));
  }

  /** Unix milliseconds since when the circuit of the whole provider is open; null while it is closed. */
  get openedAtMs(): number | null {
    return this.#own.openedAtMs;
  }

  /** Milliseconds until the next probe may go: to the provider, or to this model of it. */
  retryAfterMs(wireName?: string): number {
    const ofModel = wireName === undefined ? undefined : this.#models.get(wireName);
    return Math.max(this.#own.retryAfterMs(), ofModel?.retryAfterMs() ?? 0);
  }

  /** Null while the circuit of the provider, or of this model, is open. */
  admit(wireName: string): RecordCall | null {
    const permit = this.#own.admit();
    if (permit === null) return null;
    const model = this.#models.get(wireName);
    const modelPermit = model?.admit();
    if (modelPermit === null) {
      // It may have been the provider's probe.
      this.#own.record(permit, "neutral");
      return null;
    }
    return (outcome, busy) => {
      const isBusy = busy && outcome === "failure";
      // A busy provider is up.
      this.#own.record(permit, isBusy ? "success" : outcome);
      if (model && modelPermit !== undefined) model.record(modelPermit, isBusy || outcome === "success" ? outcome : "neutral");
      else if (isBusy) this.#recordFirst(wireName);
    };
  }

  #recordFirst(wireName: string): void {
    // Others may have failed meanwhile.
    const model = this.#models.get(wireName) ?? this.#open(wireName);
    const permit = model.admit();
    if (permit !== null) model.record(permit, "failure");
  }

  #open(wireName: string): CircuitBreaker {
    const labels = { provider: this.#provider, model: wireName };
    const model = new CircuitBreaker((isOpen) => metrics().modelCircuitOpen.set(labels, isOpen ? 1 : 0));
    this.#models.set(wireName, model);
    return model;
  }
}

const circuitBreakers = processSingleton("circuitBreakers", () => new Map<string, ProviderBreaker>());

/** This process's breaker for the provider at that origin. */
export function breakerOf(provider: ProviderId, origin: string): ProviderBreaker {
  const breakers = circuitBreakers();
  const name = `${provider} ${origin}`;
  let breaker = breakers.get(name);
  if (!breaker) {
    breaker = new ProviderBreaker(provider);
    breakers.set(name, breaker);
  }
  return breaker;
}
