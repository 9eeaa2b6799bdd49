// Failed authentications by client address. Only failures spend: a working key is never counted, and a key already known to work is
// never checked, so other users of the same address are served while somebody guesses keys there.
//
// The check reads memory only and costs no round trip. With Redis, each failure is also recorded there, and the reply brings back what
// other processes have counted; so every process learns of an address at its own first failure.

import { networkOf } from "@/lib/access/client-address";
import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { type Bucket, BucketTable, depthOf, fullInMs, REQUEST, refill, waitMs } from "./bucket";
import type { RateState } from "./memory-limiter";
import { type RedisLink, redisLink } from "./redis-link";
import { failuresKey } from "./redis-scripts";

interface FailedAuthOptions {
  link?: RedisLink | null;
  nowMs?: () => number;
  maxSubjects?: number;
}

export type AddressVerdict = { readonly granted: true } | { readonly granted: false; readonly retryAfterMs: number };

/** The failed authentications that this process has counted or learned of. */
export const failedAuth = processSingleton(
  "limits.failedAuth",
  () => new FailedAuthLimiter(config().FAILED_AUTH_PER_MINUTE, { link: redisLink() }),
);

export class FailedAuthLimiter {
  private readonly table: BucketTable;
  private readonly nowMs: () => number;

  constructor(
    private readonly perMinute: number,
    private readonly options: FailedAuthOptions = {},
  ) {
    this.table = new BucketTable(options.maxSubjects);
    this.nowMs = options.nowMs ?? nowMs;
  }

  /**
   * Whether `address` may try a credential that is not known yet; spends nothing. Requests that pass at the same time may together
   * exceed the budget of failures, by at most the number of connections.
   */
  check(address: string): AddressVerdict {
    const bucket = this.table.peek(networkOf(address));
    if (!bucket) return { granted: true };
    refill(bucket, this.perMinute, this.nowMs());
    return this.verdict(bucket);
  }

  /** Spends one failure of `address`; refused when it had none left. */
  record(address: string): AddressVerdict {
    const subject = networkOf(address);
    const now = this.nowMs();
    const bucket = this.table.find(subject, this.perMinute, now);
    refill(bucket, this.perMinute, now);
    const attempt = this.verdict(bucket);
    if (!attempt.granted) return attempt;
    bucket.level -= REQUEST;
    if (this.options.link) void this.tell(this.options.link, subject, bucket);
    return attempt;
  }

  /** The remaining failures of `address`, for the headers of an answer to a caller without an account. */
  state(address: string): RateState {
    const now = this.nowMs();
    const bucket = this.table.peek(networkOf(address));
    if (bucket) refill(bucket, this.perMinute, now);
    const level = bucket?.level ?? depthOf(this.perMinute);
    const resetInMs = waitMs(level, this.perMinute) || fullInMs(level, this.perMinute);
    return { ratePerMinute: this.perMinute, remaining: Math.floor(level / REQUEST), resetAtMs: now + resetInMs };
  }

  /** Number of addresses in memory. */
  get subjects(): number {
    return this.table.size;
  }

  private verdict(bucket: Bucket): AddressVerdict {
    const retryAfterMs = waitMs(bucket.level, this.perMinute);
    if (retryAfterMs === 0) return { granted: true };
    metrics().limited.inc({ limit: "failed_auth" });
    return { granted: false, retryAfterMs };
  }

  private async tell(link: RedisLink, subject: string, bucket: Bucket): Promise<void> {
    const time = this.options.nowMs ? this.options.nowMs() : "";
    const level = await link.ask((client) => client.limitSpend(failuresKey(subject), time, this.perMinute));
    if (level !== null) bucket.level = Math.min(bucket.level, level);
  }
}
