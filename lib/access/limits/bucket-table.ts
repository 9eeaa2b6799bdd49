// Buckets by subject, in memory. The table never holds more than `maxSubjects` idle ones, however many different subjects
// an attacker invents, and it needs no timer: each look at it also looks at two other entries and drops what is idle.

import { type Bucket, depthOf, REFILL_MS } from "./bucket";

const LOOKED_AT_PER_USE = 2;
/** About 20 MB when full. */
const MAX_SUBJECTS = 100_000;

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

  /** The subject's bucket, a full one when it had none. Not yet brought to `nowMs`. */
  find(subject: string, ratePerMinute: number, nowMs: number): Bucket {
    for (let looked = 0; looked < LOOKED_AT_PER_USE; looked++) this.dropNext(nowMs, REFILL_MS);
    const known = this.buckets.get(subject);
    if (known) return known;
    if (this.buckets.size >= this.maxSubjects) this.makeRoom(nowMs);
    const bucket: Bucket = { level: depthOf(ratePerMinute), atMs: nowMs, inFlight: 0 };
    this.buckets.set(subject, bucket);
    return bucket;
  }

  // A full table drops a bucket that is not idle. Only subjects with requests in flight stay, so the table outgrows its
  // maximum by no more than what this process serves at once.
  private makeRoom(nowMs: number): void {
    for (let looked = this.buckets.size; looked > 0; looked--) {
      if (this.dropNext(nowMs, 0)) return;
    }
  }

  // The hand goes round the table for ever. What it drops after REFILL_MS is a full bucket, the same as none; a subject with
  // a request in flight is never dropped, or its slots would be forgotten.
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
