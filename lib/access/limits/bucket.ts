// Buckets: one subject's token bucket (refill: the rate per minute; depth: the same number) with its count of requests in flight, and
// the table of all subjects. Whole numbers only: a level counts 1/60,000 of a request, so that a rate of r per minute adds exactly r
// each millisecond, and the Lua of `redis-scripts.ts` arrives at the same numbers.

import { assert } from "@/lib/base/assert";

/** The limits of one account; an override may replace either. Both are whole numbers of at least 1. */
export interface Limits {
  readonly ratePerMinute: number;
  readonly concurrency: number;
}

export type LimitName = "rate" | "concurrency";

export interface Bucket {
  /** The tokens left in the bucket, in 1/60,000 of a request, as of `atMs`. */
  level: number;
  atMs: number;
  inFlight: number;
}

/** One request, in the unit of `level`. */
export const REQUEST = 60_000;
/** An empty bucket is full again after this time at any rate, so a bucket idle for as long need not be kept. */
const REFILL_MS = 60_000;
/** A slot is free as soon as another request ends, which cannot be predicted; SDKs wait whole seconds at least. */
const SLOT_RETRY_MS = 1_000;

/** The level of a full bucket. */
export const depthOf = (ratePerMinute: number): number => ratePerMinute * REQUEST;

/** Brings the level to `nowMs`. A clock that was set back adds nothing, and counting continues from there. */
export function refill(bucket: Bucket, ratePerMinute: number, nowMs: number): void {
  const gained = nowMs > bucket.atMs ? (nowMs - bucket.atMs) * ratePerMinute : 0;
  bucket.level = Math.min(depthOf(ratePerMinute), bucket.level + gained);
  bucket.atMs = nowMs;
}

/** Takes one request and one slot, or returns the limit that refuses; a refusal takes nothing. */
export function take(bucket: Bucket, limits: Limits, nowMs: number): LimitName | null {
  assert(limits.ratePerMinute >= 1 && limits.concurrency >= 1, "limits are at least 1");
  refill(bucket, limits.ratePerMinute, nowMs);
  if (bucket.level < REQUEST) return "rate";
  if (bucket.inFlight >= limits.concurrency) return "concurrency";
  bucket.level -= REQUEST;
  bucket.inFlight += 1;
  return null;
}

/** Milliseconds until the limit that refused may grant: exact for the rate, the shortest useful wait for a slot. */
export function retryAfterMs(refusedBy: LimitName, level: number, ratePerMinute: number): number {
  return refusedBy === "rate" ? waitMs(level, ratePerMinute) : SLOT_RETRY_MS;
}

/** Milliseconds until a whole request may be spent; 0 when it may be spent now. */
export const waitMs = (level: number, ratePerMinute: number): number => Math.max(0, Math.ceil((REQUEST - level) / ratePerMinute));

/** Milliseconds until the bucket is full. */
export const fullInMs = (level: number, ratePerMinute: number): number => Math.ceil((depthOf(ratePerMinute) - level) / ratePerMinute);

const LOOKED_AT_PER_USE = 2;
/** About 20 MB when full. */
const MAX_SUBJECTS = 100_000;

/**
 * Buckets by subject, in memory. The table never holds more than `maxSubjects` idle buckets, however many subjects an attacker invents,
 * and it needs no timer: each lookup also checks two other entries and drops them if they are idle.
 */
export class BucketTable {
  private readonly buckets = new Map<string, Bucket>();
  private hand = this.buckets.entries();

  constructor(private readonly maxSubjects = MAX_SUBJECTS) {}

  get size(): number {
    return this.buckets.size;
  }

  /** The subject's bucket, or undefined when it has none, which means a full one. */
  peek(subject: string): Bucket | undefined {
    return this.buckets.get(subject);
  }

  /** The subject's bucket; a new full one if it had none. Not yet refilled to `nowMs`. */
  find(subject: string, ratePerMinute: number, nowMs: number): Bucket {
    for (let looked = 0; looked < LOOKED_AT_PER_USE; looked++) this.dropNext(nowMs, REFILL_MS);
    const known = this.buckets.get(subject);
    if (known) return known;
    if (this.buckets.size >= this.maxSubjects) this.dropOldest(nowMs);
    const bucket: Bucket = { level: depthOf(ratePerMinute), atMs: nowMs, inFlight: 0 };
    this.buckets.set(subject, bucket);
    return bucket;
  }

  // A full table drops a bucket even if it was used recently. Only subjects with requests in flight stay, so the table exceeds its
  // maximum by no more than the number of requests that this process serves at once.
  private dropOldest(nowMs: number): void {
    for (let looked = this.buckets.size; looked > 0; looked--) {
      if (this.dropNext(nowMs, 0)) return;
    }
  }

  // The hand goes round the table forever, as in a clock cache. A bucket idle for REFILL_MS is full, the same as no bucket; a subject
  // with a request in flight is never dropped, or its slots would be forgotten.
  private dropNext(nowMs: number, idleForMs: number): boolean {
    let next = this.hand.next();
    if (next.done) {
      this.hand = this.buckets.entries();
      next = this.hand.next();
      if (next.done) return false;
    }
    const [subject, bucket] = next.value;
    if (bucket.inFlight > 0 || nowMs - bucket.atMs < idleForMs) return false;
    return this.buckets.delete(subject);
  }
}
