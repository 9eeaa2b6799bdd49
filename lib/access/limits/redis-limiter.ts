// Limits shared by several processes through Redis. Memory decides first, with the same numbers: Redis would refuse what memory
// refuses, since memory sees a part of the same requests; Redis confirms what memory grants. So a flood never reaches Redis, and when
// Redis is out of reach each process continues with limits that are already warm.
//
// A slot in flight is a lease that this process renews while the request runs, so a dead process does not keep its slots for long.

import { nowMs } from "@/lib/base/clock";
import { randomBase62 } from "@/lib/base/ids";
import type { Limits } from "./bucket";
import { type Entry, type Granted, granted, type Limiter, MemoryLimiter, refused } from "./memory-limiter";
import { type RedisLink, sendBatch } from "./redis-link";
import { bucketKey, slotsKey } from "./redis-scripts";

/** The longest time for which a dead process keeps its slots. */
const LEASE_MS = 15_000;
/** Two renewals may be lost before a lease ends. */
const RENEWALS_PER_LEASE = 3;

interface RedisLimiterOptions {
  /** Replaces both this process's clock and the server's. */
  nowMs?: () => number;
  leaseMs?: number;
}

interface Lease {
  readonly id: string;
  readonly subject: string;
}

export class RedisLimiter implements Limiter {
  private readonly local: MemoryLimiter;
  /** Subjects by lease id: every request in flight in this process. */
  private readonly leases = new Map<string, string>();
  private readonly process = randomBase62(10);
  private readonly leaseMs: number;
  private readonly renewal: NodeJS.Timeout;
  private entered = 0;

  constructor(
    private readonly link: RedisLink,
    private readonly options: RedisLimiterOptions = {},
  ) {
    this.local = new MemoryLimiter({ nowMs: options.nowMs });
    this.leaseMs = options.leaseMs ?? LEASE_MS;
    this.renewal = setInterval(() => void this.renew(), this.leaseMs / RENEWALS_PER_LEASE);
    this.renewal.unref();
    link.onReachable(() => void this.renew());
  }

  enter(subject: string, limits: Limits): Entry | Promise<Entry> {
    const entry = this.local.enter(subject, limits);
    if (!entry.granted) return entry;
    this.entered += 1;
    const lease = { id: `${this.process}:${this.entered}`, subject };
    return this.link.reachable ? this.confirm(entry, lease, limits) : { ...entry, leave: this.hold(entry, lease) };
  }

  /** Ends this process's leases at once, so that a restart finds its slots free. */
  async close(): Promise<void> {
    clearInterval(this.renewal);
    const held = [...this.leases];
    this.leases.clear();
    if (held.length > 0) {
      await this.link.ask((client) => {
        const pipeline = client.pipeline();
        for (const [leaseId, subject] of held) pipeline.zrem(slotsKey(subject), leaseId);
        return sendBatch(pipeline);
      });
    }
    await this.link.close();
  }

  private async confirm(entry: Granted, lease: Lease, limits: Limits): Promise<Entry> {
    const { id, subject } = lease;
    const answer = await this.link.ask((client) =>
      client.limitEnter(bucketKey(subject), slotsKey(subject), this.time(), limits.ratePerMinute, limits.concurrency, id, this.leaseMs),
    );
    if (answer === null) return { ...entry, leave: this.hold(entry, lease) };
    const [verdict, level, inFlight] = answer;
    const now = (this.options.nowMs ?? nowMs)();
    if (verdict === 0) return granted({ level, inFlight }, limits, now, this.hold(entry, lease));
    this.local.refund(subject, limits);
    entry.leave();
    return refused(verdict === 1 ? "rate" : "concurrency", { level, inFlight }, limits, now);
  }

  // The lease is kept for renewal whether Redis or memory decided: when Redis comes back, the next renewal reports the requests in flight
  // here. The removal of a lease is not awaited and not retried: if it is lost, the lease expires on its own.
  private hold(entry: Granted, { id, subject }: Lease): () => void {
    this.leases.set(id, subject);
    return () => {
      entry.leave();
      if (this.leases.delete(id)) void this.link.ask((client) => client.zrem(slotsKey(subject), id));
    };
  }

  private async renew(): Promise<void> {
    if (this.leases.size === 0) return;
    const bySubject = new Map<string, string[]>();
    for (const [leaseId, subject] of this.leases) {
      const ids = bySubject.get(subject);
      if (ids) ids.push(leaseId);
      else bySubject.set(subject, [leaseId]);
    }
    await this.link.ask((client) => {
      const pipeline = client.pipeline();
      for (const [subject, ids] of bySubject) pipeline.limitRenew(slotsKey(subject), this.time(), this.leaseMs, ...ids);
      return sendBatch(pipeline);
    });
  }

  private time(): number | "" {
    return this.options.nowMs ? this.options.nowMs() : "";
  }
}
