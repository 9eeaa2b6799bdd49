// Records the effects of an attempt: the delivery ends or is tried again, and its endpoint is well, fails, rests, or is switched off.

import { dateOf, now, nowMs } from "@/lib/base/clock";
import { actAs, inTransaction, type Prisma, prisma, type Transaction } from "@/lib/db/prisma";
import type { DeliveryTry } from "../deliveries";
import { failPending, receiving } from "../endpoints";
import { DISABLED_AFTER_MS, FAILURES_BEFORE_REST, pauseAfter, restAfter, slowRestAfter } from "./attempts";
import type { Outcome } from "./send";

/** As many attempts of a delivery are kept: those of three rounds. */
const KEPT_TRIES = 30;

interface DeliveryAttempt {
  endpoint: Prisma.EndpointModel;
  delivery: Prisma.DeliveryModel;
  outcome: Outcome;
  startedAt: Date;
  /** It took SLOW_MS or more. */
  isSlow: boolean;
}

/** Records an attempt; the endpoint as it is now. */
export async function recordAttempt(attempt: DeliveryAttempt): Promise<Prisma.EndpointModel> {
  const { endpoint, delivery, outcome, isSlow } = attempt;
  const at = nowMs();
  if (outcome.isDelivered && endpoint.failures === 0 && !isSlow) {
    const { tries, attempts } = deliveryAfter(attempt, at);
    // It does not wait for the disk: after a crash of the database the event is sent again, under its id.
    await prisma().$executeRaw`
      WITH quick AS (SELECT set_config('synchronous_commit', 'off', true))
      UPDATE delivery SET state = 'delivered', try_at = NULL, ended_at = ${dateOf(at)}, tries = ${JSON.stringify(tries)}::jsonb, attempts = ${attempts}
      FROM quick WHERE id = ${delivery.id}`;
    return endpoint;
  }
  const change = !outcome.isDelivered ? failing(endpoint, outcome, at) : isSlow ? slow(endpoint, at) : well;
  return inTransaction((transaction) =>
    changeEndpoint({ endpoint, change, transaction }, () => writeAttempt(delivery.id, deliveryAfter(attempt, at), transaction)),
  );
}

interface EndpointChange {
  endpoint: Prisma.EndpointModel;
  change: Change;
  transaction: Transaction;
}

/** The endpoint's row first, as when it is switched off, then the deliveries. A reader who unsubscribed meanwhile is heard. */
async function changeEndpoint(
  { endpoint, change, transaction }: EndpointChange,
  writeDeliveries: () => Promise<unknown>,
): Promise<Prisma.EndpointModel> {
  if (change.state === "disabled") await actAs({ kind: "job", job: "deliver-events" }, transaction);
  const { count } = await transaction.endpoint.updateMany({ where: { id: endpoint.id, ...receiving }, data: change });
  await writeDeliveries();
  if (count === 1 && change.state === "disabled") {
    await failPending(endpoint.id, transaction);
    if (endpoint.state === "active")
      await transaction.$queryRaw`SELECT events_record(${endpoint.accountId}, 'endpoint.disabled', ${told(endpoint, change)}, ${now()})::text`;
  }
  return { ...endpoint, ...change, ...(count === 0 && { state: "disabled", disabledReason: "gone" }) };
}

export interface MailAttempt {
  endpoint: Prisma.EndpointModel;
  /** All that the mail brought. */
  deliveries: readonly Pick<Prisma.DeliveryModel, "id" | "attempts">[];
  outcome: Outcome;
  startedAt: Date;
  /** After a mail the address is left alone until then. */
  quietUntil: Date;
}

/** Records a mail: one attempt of each delivery, and one of the endpoint. */
export async function recordMail({ endpoint, deliveries, outcome, startedAt, quietUntil }: MailAttempt): Promise<void> {
  const at = nowMs();
  const change = outcome.isDelivered ? { ...well, restsUntil: quietUntil } : failing(endpoint, outcome, at);
  const made = JSON.stringify(tryOf(outcome, startedAt, at));
  const write = async (transaction: Prisma.TransactionClient) => {
    for (const [attempts, ids] of idsByAttempts(deliveries)) {
      // Events of a failed mail are tried again together: the endpoint's pause, not each delivery's.
      const { state, tryAt, endedAt } = stateAfter(outcome, { pauseOf: endpoint.id, attempts, at });
      await transaction.$executeRaw`
        UPDATE delivery SET attempts = ${attempts},
            tries = (CASE WHEN jsonb_array_length(tries) >= ${KEPT_TRIES} THEN tries - 0 ELSE tries END) || ${made}::jsonb,
            state = CASE WHEN state = 'pending' OR ${outcome.isDelivered} THEN ${state} ELSE state END,
            try_at = CASE WHEN state = 'pending' OR ${outcome.isDelivered} THEN ${tryAt} ELSE try_at END,
            ended_at = CASE WHEN state = 'pending' OR ${outcome.isDelivered} THEN ${endedAt} ELSE ended_at END
          WHERE id = ANY (${ids})`;
    }
  };
  await inTransaction((transaction) => changeEndpoint({ endpoint, change, transaction }, () => write(transaction)));
}

/** Ids by the number of the attempt that was made. */
function idsByAttempts(deliveries: MailAttempt["deliveries"]): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const { id, attempts } of deliveries) groups.set(attempts + 1, [...(groups.get(attempts + 1) ?? []), id]);
  return groups;
}

type DeliveryChange = ReturnType<typeof deliveryAfter>;

/** A delivery that ended meanwhile, since its endpoint was turned off, keeps its end unless it was delivered. */
async function writeAttempt(id: string, change: DeliveryChange, transaction: Prisma.TransactionClient): Promise<void> {
  const isDelivered = change.state === "delivered";
  const { count } = await transaction.delivery.updateMany({ where: isDelivered ? { id } : { id, state: "pending" }, data: change });
  const { tries, attempts } = change;
  if (count === 0) await transaction.delivery.updateMany({ where: { id }, data: { tries, attempts } });
}

function deliveryAfter({ delivery, outcome, startedAt }: Omit<DeliveryAttempt, "isSlow">, at: number) {
  const attempts = delivery.attempts + 1;
  const tries = [...(delivery.tries as Prisma.InputJsonArray), tryOf(outcome, startedAt, at)].slice(-KEPT_TRIES);
  return { tries, attempts, ...stateAfter(outcome, { pauseOf: delivery.id, attempts, at }) };
}

function tryOf({ status, error, bytes }: Outcome, startedAt: Date, at: number): DeliveryTry {
  return {
    at: startedAt.toISOString(),
    ms: at - startedAt.getTime(),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(bytes !== undefined && { bytes }),
  };
}

function stateAfter(outcome: Outcome, { pauseOf, attempts, at }: { pauseOf: string; attempts: number; at: number }) {
  if (outcome.isDelivered) return { state: "delivered", tryAt: null, endedAt: dateOf(at) };
  const pause = outcome.isFinal ? null : pauseAfter(pauseOf, attempts);
  if (pause === null) return { state: "failed", tryAt: null, endedAt: dateOf(at) };
  return { state: "pending", tryAt: dateOf(at + Math.max(pause, outcome.retryAfterMs ?? 0)), endedAt: null };
}

type Change = Pick<Prisma.EndpointModel, "failures" | "failingSince" | "restsUntil"> &
  Partial<Pick<Prisma.EndpointModel, "state" | "disabledReason">>;

const well: Change = { failures: 0, failingSince: null, restsUntil: null };

/** A slow endpoint rests like a failing one, but is never switched off for it: that time begins anew with each answer. */
function slow({ failures }: Prisma.EndpointModel, at: number): Change {
  const restMs = slowRestAfter(failures + 1);
  // No more than a rest takes: a real failure after many slow answers is the first of its kind.
  return {
    failures: Math.min(failures + 1, FAILURES_BEFORE_REST),
    failingSince: dateOf(at),
    restsUntil: restMs > 0 ? dateOf(at + restMs) : null,
  };
}

function failing(endpoint: Prisma.EndpointModel, { isGone, retryAfterMs = 0 }: Outcome, at: number): Change {
  const failures = endpoint.failures + 1;
  const failingSince = endpoint.failingSince ?? dateOf(at);
  const restMs = Math.max(restAfter(failures), retryAfterMs);
  const reason = isGone ? "gone" : at - failingSince.getTime() >= DISABLED_AFTER_MS ? "failing" : null;
  return {
    failures,
    failingSince,
    restsUntil: restMs > 0 ? dateOf(at + restMs) : null,
    ...(reason && { state: "disabled", disabledReason: reason }),
  };
}

/** A URL may hold a secret of its owner's: its host tells enough. */
const told = ({ id, target, kind }: Prisma.EndpointModel, { disabledReason, failingSince }: Change) => ({
  endpointId: id,
  kind,
  host: URL.canParse(target) ? new URL(target).host : target.replace(/^.*@/, ""),
  reason: disabledReason,
  failingSince: failingSince?.toISOString(),
});
