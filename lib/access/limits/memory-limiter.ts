// Limits of one process, in memory: synchronous, no timer, no promise. Without Redis it is the whole limiter; with Redis it decides
// first. Its answer is a granted entry that must be left, or a refusal that names the limit and the wait. Every refusal is created here, so
// each is counted exactly once.

import { assert } from "@/lib/base/assert";
import { nowMs } from "@/lib/base/clock";
import { metrics } from "@/lib/base/observe/metrics";
import { type Bucket, BucketTable, depthOf, fullInMs, type LimitName, type Limits, REQUEST, retryAfterMs, take } from "./bucket";

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
  /** Gives back all that is still held and closes connections. Call it at shutdown, after the drain. */
  close(): Promise<void>;
}

interface MemoryLimiterOptions {
  nowMs?: () => number;
  maxSubjects?: number;
}

export class MemoryLimiter implements Limiter {
  private readonly table: BucketTable;
  private readonly nowMs: () => number;

  constructor(options: MemoryLimiterOptions = {}) {
    this.table = new BucketTable(options.maxSubjects);
    this.nowMs = options.nowMs ?? nowMs;
  }

  enter(subject: string, limits: Limits): Entry {
    const now = this.nowMs();
    const bucket = this.table.find(subject, limits.ratePerMinute, now);
    const refusedBy = take(bucket, limits, now);
    if (refusedBy) return refused(refusedBy, bucket, limits, now);
    return granted(bucket, limits, now, () => {
      assert(bucket.inFlight > 0, "a slot is given back once");
      bucket.inFlight -= 1;
    });
  }

  /** Returns the request, but not the slot, of an entry that was granted here and refused by Redis. */
  refund(subject: string, limits: Limits): void {
    const bucket = this.table.peek(subject);
    if (bucket) bucket.level = Math.min(depthOf(limits.ratePerMinute), bucket.level + REQUEST);
  }

  /** Number of subjects in memory. */
  get subjects(): number {
    return this.table.size;
  }

  async close(): Promise<void> {
    // Nothing outlives the process.
  }
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
