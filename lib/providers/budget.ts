// The time budget of one provider call: first token, idle between chunks, and total, watched by a single timer however many chunks arrive;
// and the single switch that stops the call, for time, caller and early end alike.

import { EventEmitter } from "node:events";
import { ProviderFailure } from "./types";

export interface BudgetLimits {
  PROVIDER_FIRST_TOKEN_TIMEOUT_MS: number;
  PROVIDER_IDLE_TIMEOUT_MS: number;
  PROVIDER_TOTAL_TIMEOUT_MS: number;
}

type Wait = "first token" | "next chunk" | "end of the answer";

/**
 * Emits `abort` once, when the call must stop; `reason` says why. Undici accepts it as an abort signal: an emitter costs a
 * fraction of an AbortController, and every call creates one.
 */
export class CallBudget extends EventEmitter {
  aborted = false;
  reason: ProviderFailure | undefined;
  /** Which wait ran out, when a timeout stopped the call. */
  expired: Wait | undefined;

  readonly #limits: BudgetLimits;
  readonly #signal: AbortSignal | null;
  readonly #onAbort = () => this.stop(new ProviderFailure("aborted", "the caller gave up"));
  readonly #endsAtMs: number;
  readonly #tickMs: number;
  /** The nearest deadline besides the total one; Infinity while we wait for nothing. */
  #dueMs = Number.POSITIVE_INFINITY;
  #waitsFor: Wait = "first token";
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /**
   * Without a signal, only time stops the call. Do not pass a signal that many calls share: a removed listener still points to those
   * that were added after it, so each call would keep the next ones in memory.
   */
  constructor(limits: BudgetLimits, signal: AbortSignal | null) {
    super();
    this.#limits = limits;
    this.#signal = signal;
    this.#endsAtMs = performance.now() + limits.PROVIDER_TOTAL_TIMEOUT_MS;
    // No deadline is nearer than the shortest limit, except the end of the total time after `renew`.
    this.#tickMs = Math.min(limits.PROVIDER_FIRST_TOKEN_TIMEOUT_MS, limits.PROVIDER_IDLE_TIMEOUT_MS, limits.PROVIDER_TOTAL_TIMEOUT_MS);
    this.#watch();
  }

  #watch(): void {
    this.#signal?.addEventListener("abort", this.#onAbort);
    this.#timer = setTimeout(this.#check, Math.min(this.#tickMs, this.remainingMs()));
    if (this.#signal?.aborted) this.#onAbort();
  }

  /** Starts the wait for the first token of a route: every route gets the whole of it. */
  awaitFirstToken(budgetMs: number): void {
    this.#waitsFor = "first token";
    this.#dueMs = performance.now() + budgetMs;
  }

  /** How long the first token may still take, in milliseconds. */
  remainingMs(): number {
    return Math.min(this.#dueMs, this.#endsAtMs) - performance.now();
  }

  /** The first token has arrived: from now on only silence and the total time count. */
  startStreaming(): void {
    this.#waitsFor = "next chunk";
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /** We ask the provider for more. Keep-alive bytes do not extend the wait for a first token. */
  awaitChunk(): void {
    if (this.#waitsFor === "next chunk") this.#dueMs = performance.now() + this.#limits.PROVIDER_IDLE_TIMEOUT_MS;
  }

  /** A chunk arrived. Until we ask again, the silence is ours: a stalled reader is not the provider's fault. */
  gotChunk(): void {
    if (this.#waitsFor === "next chunk") this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /** After a late first token: another route may use the rest of the total time, if the caller is still there. */
  renew(): void {
    if (this.expired !== "first token" || this.#endsAtMs <= performance.now()) return;
    this.aborted = false;
    this.reason = undefined;
    this.expired = undefined;
    this.#isOver = false;
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#watch();
  }

  /** Stops the call: the socket is closed, and every waiter gets `failure`. */
  stop(failure: ProviderFailure): void {
    if (this.#isOver) return;
    this.aborted = true;
    this.reason = failure;
    this.close();
    this.emit("abort");
  }

  /** Ends the watch: the call is over, and nothing can stop it any more. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  /**
   * Waits for `ms`, or until the call is stopped.
   * @throws ProviderFailure the stop's reason
   */
  async pause(ms: number): Promise<void> {
    if (this.reason) throw this.reason;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.removeListener("abort", onAbort);
        resolve();
      }, ms);
      const onAbort = () => {
        clearTimeout(timer);
        reject(this.reason);
      };
      this.once("abort", onAbort);
    });
  }

  readonly #check = (): void => {
    const remainingMs = this.remainingMs();
    if (remainingMs > 0) {
      this.#timer = setTimeout(this.#check, Math.min(remainingMs, this.#tickMs));
      return;
    }
    this.expired = this.#dueMs <= this.#endsAtMs ? this.#waitsFor : "end of the answer";
    this.stop(new ProviderFailure("timeout", `ran out of time while waiting for the ${this.expired}`));
  };
}
