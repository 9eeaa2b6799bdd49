// What an attempt changes: the delivery ends or is tried again, and its endpoint is well, fails, rests, or is switched off.

import { dateOf, now, nowMs } from "@/lib/base/clock";
import { inTransaction, type Prisma, prisma } from "@/lib/db/prisma";
import type { DeliveryTry } from "../deliveries";
import { failPending } from "../endpoints";
import { DISABLED_AFTER_MS, pauseAfter, restAfter } from "./attempts";
import type { Outcome } from "./send";

/** As many attempts of a delivery are kept: those of three rounds. */
const KEPT_TRIES = 30;

interface Attempt {
  endpoint: Prisma.EndpointModel;
  delivery: Prisma.DeliveryModel;
  outcome: Outcome;
  startedAt: Date;
}

/** Records an attempt; the endpoint as it is now. */
export async function recordAttempt(attempt: Attempt): Promise<Prisma.EndpointModel> {
  const { endpoint, delivery, outcome } = attempt;
  const at = nowMs();
  if (outcome.isDelivered && endpoint.failures === 0) {
    const { tries, attempts } = deliveryAfter(attempt, at);
    // It does not wait for the disk: after a crash of the database the event is sent again, under its id.
    await prisma().$executeRaw`
      WITH quick AS (SELECT set_config('synchronous_commit', 'off', true))
      UPDATE delivery SET state = 'delivered', try_at = NULL, ended_at = ${dateOf(at)}, tries = ${JSON.stringify(tries)}::jsonb, attempts = ${attempts}
      FROM quick WHERE id = ${delivery.id}`;
    return endpoint;
  }
  const change = outcome.isDelivered ? well : failing(endpoint, outcome, at);
  return inTransaction(async (transaction) => {
    // The endpoint's row first, as whoever switches it off. Who deleted it or switched it off meanwhile is heard.
    const { count } = await transaction.endpoint.updateMany({ where: { id: endpoint.id, state: "active" }, data: change });
    await writeAttempt(delivery.id, deliveryAfter(attempt, at), transaction);
    if (count === 1 && change.state === "disabled") {
      await failPending(endpoint.id, transaction);
      await transaction.$queryRaw`SELECT events_record(${endpoint.accountId}, 'endpoint.disabled', ${told(endpoint, change)}, ${now()})::text`;
    }
    return { ...endpoint, ...change, ...(count === 0 && { state: "disabled" }) };
  });
}

type DeliveryChange = ReturnType<typeof deliveryAfter>;

/** One that was ended meanwhile, since its endpoint was switched off, keeps its end unless it was delivered. */
async function writeAttempt(id: string, change: DeliveryChange, transaction: Prisma.TransactionClient): Promise<void> {
  const isDelivered = change.state === "delivered";
  const { count } = await transaction.delivery.updateMany({ where: isDelivered ? { id } : { id, state: "pending" }, data: change });
  const { tries, attempts } = change;
  if (count === 0) await transaction.delivery.updateMany({ where: { id }, data: { tries, attempts } });
}

function deliveryAfter({ delivery, outcome, startedAt }: Attempt, at: number) {
  const { status, error, bytes } = outcome;
  const attempts = delivery.attempts + 1;
  const made: DeliveryTry = {
    ...{ at: startedAt.toISOString(), ms: at - startedAt.getTime() },
    ...{ ...(status !== undefined && { status }), ...(error !== undefined && { error }), ...(bytes !== undefined && { bytes }) },
  };
  const tries = [...(delivery.tries as Prisma.InputJsonArray), made].slice(-KEPT_TRIES);
  if (outcome.isDelivered) return { tries, attempts, state: "delivered", tryAt: null, endedAt: dateOf(at) };
  const pause = outcome.isFinal ? null : pauseAfter(delivery.id, attempts);
  if (pause === null) return { tries, attempts, state: "failed", tryAt: null, endedAt: dateOf(at) };
  return { tries, attempts, tryAt: dateOf(at + Math.max(pause, outcome.retryAfterMs ?? 0)) };
}

type Change = Pick<Prisma.EndpointModel, "failures" | "failingSince" | "restsUntil"> &
  Partial<Pick<Prisma.EndpointModel, "state" | "disabledReason">>;

const well: Change = { failures: 0, failingSince: null, restsUntil: null };

function failing(endpoint: Prisma.EndpointModel, { isGone, retryAfterMs = 0 }: Outcome, at: number): Change {
  const failures = endpoint.failures + 1;
  const failingSince = endpoint.failingSince ?? dateOf(at);
  const restMs = Math.max(restAfter(failures), retryAfterMs);
  const reason = isGone ? "gone" : at - failingSince.getTime() >= DISABLED_AFTER_MS ? "failing" : null;
  return {
    ...{ failures, failingSince, restsUntil: restMs > 0 ? dateOf(at + restMs) : null },
    ...(reason && { state: "disabled", disabledReason: reason }),
  };
}

/** A URL may hold a secret of its owner's: its host tells enough. */
const told = ({ id, target, kind }: Prisma.EndpointModel, { disabledReason, failingSince }: Change) => ({
  ...{ endpointId: id, kind, host: URL.canParse(target) ? new URL(target).host : target.replace(/^.*@/, "") },
  ...{ reason: disabledReason, failingSince: failingSince?.toISOString() },
});
