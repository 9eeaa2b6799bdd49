// The data of the public status page: the checks that decide readiness, and each provider's circuit breaker.

import { z } from "zod";
import { redisLink } from "@/lib/access/limits/redis-link";
import { readHead } from "@/lib/audit/chain";
import { now, nowMs } from "@/lib/base/clock";
import { processSingleton } from "@/lib/base/process-singleton";
import { breakerOf } from "@/lib/providers/breaker";
import { endpoints, isSimulated } from "@/lib/providers/endpoints";
import type { ProviderId } from "@/lib/providers/model-route";
import { type Check, runChecks } from "./health";

export interface ProviderStatus {
  provider: ProviderId;
  /** The sandbox's simulated models answer in its place. */
  isSimulated: boolean;
  /** When its circuit opened after failures; null while it is called. */
  leftAloneSince: Date | null;
  /** Milliseconds until one call tests whether it is back. */
  retryAfterMs: number;
}

/** The state of this process at one moment. */
export interface ServiceStatus {
  at: Date;
  runningSince: Date;
  checks: Check[];
  /** `alone`: kept by this process; `shared`: kept in Redis; `lost`: meant to be shared, and Redis is unreachable. */
  limits: "alone" | "shared" | "lost";
  providers: ProviderStatus[];
  /** The end of the audit log, as `sequence:digest`; null while it is unknown. */
  auditHead: string | null;
}

const date = z.coerce.date();

const statusForm = z.object({
  at: date,
  runningSince: date,
  checks: z.array(
    z.object({ name: z.string(), isWell: z.boolean(), isVital: z.boolean(), wrongSince: date.nullable(), ms: z.number().exactOptional() }),
  ),
  limits: z.enum(["alone", "shared", "lost"]),
  providers: z.array(
    z.object({ provider: z.string(), isSimulated: z.boolean(), leftAloneSince: date.nullable(), retryAfterMs: z.number() }),
  ),
  auditHead: z.string().nullable(),
});

const source = processSingleton<{ ask?: () => Promise<unknown> }>("status of the API's process", () => ({}));

/** The API answers in another process: its status, as JSON, is asked there. */
export function askForStatus(ask: () => Promise<unknown>): void {
  source().ask = ask;
}

/** The status of the process that answers the API; of this one when that cannot say. Never throws. */
export async function readStatus(): Promise<ServiceStatus> {
  const given = await source().ask?.();
  return statusForm.safeParse(given).data ?? readOwnStatus();
}

/** Runs every check; takes at most as long as the database timeout. Never throws. */
export async function readOwnStatus(): Promise<ServiceStatus> {
  const checks = await runChecks();
  const link = redisLink();
  return {
    at: now(),
    runningSince: new Date(nowMs() - Math.round(process.uptime() * 1_000)),
    checks,
    auditHead: checks.some(({ name, isWell }) => name === "database" && isWell) ? await readAuditHead() : null,
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

/** A reader who keeps it can prove later that nothing before it was changed. */
const readAuditHead = (): Promise<string | null> =>
  readHead().then(
    ({ sequence, digest }) => `${sequence}:${digest}`,
    () => null, // the database went away meanwhile
  );
