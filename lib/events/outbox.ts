// The outbox: events are recorded by SQL in the commit that makes them true, get their numbers here once they are committed, and are kept
// for 30 days. No commit of the ledger notifies anybody: that would make commits wait for each other.

import { DAY_MS, dateOf, now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { deleteInBatches } from "@/lib/db/delete-in-batches";
import { Prisma, prisma } from "@/lib/db/prisma";
import { type EventValue, readEventData } from "./event-data";

/** Something that happened to an account. */
export interface AccountEvent {
  id: string;
  /** Counts the account's events from 1, without gaps. */
  sequence: bigint;
  type: string;
  at: Date;
  data: Record<string, EventValue>;
}

const NUMBERED_AT_ONCE = 5_000;

/** Numbers all committed events, each with its deliveries. A job runs it; in several processes at once, one waits for the other. */
export async function numberEvents(): Promise<void> {
  for (;;) {
    // Without events to number, which is nearly always, nobody takes the lock.
    const waiting = await prisma().event.findFirst({ where: { sequence: null }, select: { id: true } });
    if (!waiting) return;
    await prisma().$queryRaw`SELECT events_number(${NUMBERED_AT_ONCE}::integer, ${now()})`;
  }
}

/**
 * The account's numbered events, the oldest first; those after `afterId`, if it is given. Null when the account has no such event, or has
 * it no longer.
 */
export async function listEvents(
  accountId: AccountId,
  { afterId, limit }: { afterId?: string | undefined; limit: number },
): Promise<AccountEvent[] | null> {
  const after =
    afterId === undefined ? null : await prisma().event.findFirst({ where: { id: afterId, accountId, sequence: { not: null } } });
  if (afterId !== undefined && !after) return null;
  const rows = await prisma().event.findMany({
    where: { accountId, sequence: { gt: after?.sequence ?? 0n } },
    orderBy: { sequence: "asc" },
    take: limit,
  });
  return rows.map(readEvent);
}

/** The account's numbered events, the newest first; those with numbers below `before`, if it is given. */
export async function listNewestEvents(
  accountId: AccountId,
  { before, limit }: { before?: bigint | undefined; limit: number },
): Promise<AccountEvent[]> {
  const sequence = before === undefined ? { not: null } : { lt: before };
  const rows = await prisma().event.findMany({ where: { accountId, sequence }, orderBy: { sequence: "desc" }, take: limit });
  return rows.map(readEvent);
}

/** An event as the API and webhooks write it. */
export const eventBody = ({ id, sequence, type, at, data }: AccountEvent) => ({
  id,
  sequence: Number(sequence),
  type,
  createdAt: at,
  data,
});

/** @throws Error when the event has no number yet */
export function readEvent({ id, sequence, type, at, data }: Prisma.EventModel): AccountEvent {
  if (sequence === null) throw new Error(`the event ${id} has no number yet`);
  return { id, sequence, type, at, data: readEventData(type, data as Record<string, unknown>) };
}

export const EVENTS_KEPT_DAYS = 30;

/** Deletes events older than 30 days with their deliveries, and samples as old. A job runs it. */
export async function deleteOldEvents(): Promise<void> {
  const before = dateOf(now().getTime() - EVENTS_KEPT_DAYS * DAY_MS);
  await deleteInBatches(
    (atOnce) => Prisma.sql`
      DELETE FROM event WHERE place IN (
        SELECT place FROM event WHERE at < ${before} AND sequence IS NOT NULL ORDER BY at LIMIT ${atOnce})`,
  );
  // Ids of deliveries begin with their time.
  await deleteInBatches(
    (atOnce) => Prisma.sql`
      DELETE FROM delivery WHERE id IN (
        SELECT id FROM delivery WHERE id < left(events_delivery_id(${before}), 16) ORDER BY id LIMIT ${atOnce})`,
  );
}
