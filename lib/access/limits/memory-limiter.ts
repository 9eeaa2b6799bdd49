// Limits of one process, in memory: synchronous, no timer, no promise. Without Redis it is the whole limiter; with Redis it decides
// first.

import { assert } from "@/lib/base/assert";
import { nowMs } from "@/lib/base/clock";
import { BucketTable, depthOf, type Limits, REQUEST, take } from "./bucket";
import { type Entry, granted, type Limiter, refused } from "./entry";

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
