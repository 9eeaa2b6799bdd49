// A limiter's answer: a granted entry that must be left, or a refusal that names the limit and the wait; and the response headers that
// report it to the caller, on every answer. Every refusal is created here, so each is counted exactly once.

import { nowMs } from "@/lib/base/clock";
import { metrics } from "@/lib/base/observe/metrics";
import { type Bucket, fullInMs, type LimitName, type Limits, REQUEST, retryAfterMs } from "./bucket";

/** A rate as of one moment. */
export interface RateState {
  readonly ratePerMinute: number;
  /** Whole requests that could have started then. */
  readonly remaining: number;
  /** Unix milliseconds: after a refusal by the rate, when one request may start; otherwise when the bucket is full again. */
  readonly resetAtMs: number;
}

/** A subject's limits as of one decision, for the headers of the answer. */
export interface LimitState extends RateState {
  readonly concurrency: number;
  /** Free slots for requests in flight. */
  readonly freeSlots: number;
}

export interface Granted {
  readonly granted: true;
  readonly state: LimitState;
  /** Gives the slot back. Call it when the request has ended, including its stream; further calls do nothing. */
  leave(): void;
}

export interface Refused {
  readonly granted: false;
  readonly limit: LimitName;
  readonly retryAfterMs: number;
  readonly state: LimitState;
}

export type Entry = Granted | Refused;

export interface Limiter {
  /**
   * Takes one request and one slot for `subject`, or returns the limit that refused; a refusal takes nothing. Never throws and never
   * waits long: immediate without Redis, bounded by the command timeout with Redis.
   */
  enter(subject: string, limits: Limits): Entry | Promise<Entry>;
  /** Gives back what is still held and closes connections. For shutdown, after the drain. */
  close(): Promise<void>;
}

type Measure = Pick<Bucket, "level" | "inFlight">;

export function granted(measure: Measure, limits: Limits, nowMs: number, release: () => void): Granted {
  let left = false;
  return {
    granted: true,
    state: stateOf(measure, limits, nowMs + fullInMs(measure.level, limits.ratePerMinute)),
    leave() {
      if (left) return;
      left = true;
      release();
    },
  };
}

export function refused(limit: LimitName, measure: Measure, limits: Limits, nowMs: number): Refused {
  metrics().limited.inc({ limit });
  const waitMs = retryAfterMs(limit, measure.level, limits.ratePerMinute);
  const resetInMs = limit === "rate" ? waitMs : fullInMs(measure.level, limits.ratePerMinute);
  return { granted: false, limit, retryAfterMs: waitMs, state: stateOf(measure, limits, nowMs + resetInMs) };
}

function stateOf(measure: Measure, limits: Limits, resetAtMs: number): LimitState {
  return {
    ratePerMinute: limits.ratePerMinute,
    concurrency: limits.concurrency,
    remaining: Math.floor(measure.level / REQUEST),
    resetAtMs,
    // An override may have been lowered while requests were in flight.
    freeSlots: Math.max(0, limits.concurrency - measure.inFlight),
  };
}

// RateLimit-Policy and RateLimit follow draft-ietf-httpapi-ratelimit-headers-11: lists of quoted policy names; `q` quota, `w` window in
// seconds, `qu` unit; `r` remaining, `t` seconds until reset. X-RateLimit-Reset is Unix seconds, as GitHub made common; clients that
// also accept seconds from now tell the two apart by size.

/** Adds the headers of `state` to `headers` (lower-case names): an account's two limits, or an address's one limit on failures. */
export function writeLimitHeaders(headers: Record<string, string>, state: LimitState | RateState): void {
  const { ratePerMinute, remaining, resetAtMs } = state;
  const resetS = Math.max(0, Math.ceil((resetAtMs - nowMs()) / 1_000));
  if ("concurrency" in state) {
    headers["ratelimit-policy"] = `"rate";q=${ratePerMinute};w=60, "concurrency";q=${state.concurrency};qu="concurrent-requests"`;
    headers.ratelimit = `"rate";r=${remaining};t=${resetS}, "concurrency";r=${state.freeSlots}`;
  } else {
    headers["ratelimit-policy"] = `"failed-auth";q=${ratePerMinute};w=60`;
    headers.ratelimit = `"failed-auth";r=${remaining};t=${resetS}`;
  }
  headers["x-ratelimit-limit"] = `${ratePerMinute}`;
  headers["x-ratelimit-remaining"] = `${remaining}`;
  headers["x-ratelimit-reset"] = `${Math.ceil(resetAtMs / 1_000)}`;
}

/** The value of Retry-After: whole seconds, at least 1. */
export const retryAfter = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1_000))}`;
