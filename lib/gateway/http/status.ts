// What the public status page tells: the same checks that decide readiness, and each provider's circuit.

import { redisLink } from "@/lib/access/limits/redis-link";
import { now, nowMs } from "@/lib/base/clock";
import { breakerOf } from "@/lib/providers/breaker";
import { endpoints, isSimulated } from "@/lib/providers/endpoints";
import type { ProviderId } from "@/lib/providers/types";
import { type Check, runChecks } from "./health";

export interface ProviderStatus {
  provider: ProviderId;
  /** The sandbox's own models answer in its place. */
  isSimulated: boolean;
  /** Since when it is left alone after failures; null while it is asked. */
  leftAloneSince: Date | null;
  /** Milliseconds until one call finds out whether it is back. */
  retryAfterMs: number;
}

/** This process as of one moment. */
export interface ServiceStatus {
  at: Date;
  runningSince: Date;
  checks: Check[];
  /** `alone`: kept by this process; `shared` through Redis, or meant to be and `lost`. */
  limits: "alone" | "shared" | "lost";
  providers: ProviderStatus[];
}

/** Looks at everything; takes at most as long as the database is waited for. Never throws. */
export async function readStatus(): Promise<ServiceStatus> {
  const checks = await runChecks();
  const link = redisLink();
  return {
    at: now(),
    runningSince: new Date(nowMs() - Math.round(process.uptime() * 1_000)),
    checks,
    limits: link === null ? "alone" : link.reachable ? "shared" : "lost",
    providers: [...endpoints()].map(([provider, endpoint]) => {
      const breaker = breakerOf(provider, endpoint.origin);
      const { openedAtMs } = breaker;
      return {
        provider,
        isSimulated: isSimulated(provider, endpoint),
        leftAloneSince: openedAtMs === null ? null : new Date(openedAtMs),
        retryAfterMs: breaker.retryAfterMs(),
      };
    }),
  };
}
