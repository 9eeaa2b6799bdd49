// Deliveries: each event's way to each endpoint that wants it, as its owner sees it, and those that the owner can send again. Every
// function takes the account, and another account's delivery counts as missing.

import { z } from "zod";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { inTransaction, Prisma, prisma } from "@/lib/db/prisma";
import { bodyOf, CONFIRMATION, type EndpointKind, sampleEvent } from "./bodies";
import { type EventTypeName, isEventType } from "./catalogue";
import { type AccountEvent, readEvent } from "./outbox";

export type DeliveryState = "pending" | "delivered" | "failed";

/** One attempt. Of the answer only its status and size are kept. */
const deliveryTry = z.object({
  at: z.iso.datetime(),
  ms: z.number(),
  status: z.number().optional(),
  /** Why there was no answer, or why its body was cut. */
  error: z.string().optional(),
  /** Size of the answer's body, as far as it was read. */
  bytes: z.number().optional(),
});

export type DeliveryTry = z.infer<typeof deliveryTry>;

export interface Delivery {
  id: string;
  endpointId: string;
  /** Null for a sample, and for a confirmation. */
  eventId: string | null;
  /** The event's number in its account; null for a sample. */
  sequence: bigint | null;
  type: string;
  state: DeliveryState;
  /** The request's body. */
  body: string;
  /** The last 30 attempts, the oldest first. */
  tries: readonly DeliveryTry[];
  /** When it is tried next, unless its endpoint rests for longer; null once it has ended. */
  tryAt: Date | null;
  createdAt: Date;
  endedAt: Date | null;
}

export interface DeliveryQuery {
  endpointId?: string | undefined;
  state?: DeliveryState | undefined;
  type?: string | undefined;
  /** Only those older than this delivery. */
  before?: string | undefined;
  limit: number;
}

/** The account's deliveries of the last 30 days, the newest first. */
export async function listDeliveries(accountId: AccountId, query: DeliveryQuery): Promise<Delivery[]> {
  const { endpointId, state, type, before, limit } = query;
  const where: Prisma.DeliveryWhereInput = { accountId };
  if (endpointId !== undefined) where.endpointId = endpointId;
  if (state !== undefined) where.state = state;
  if (type !== undefined) where.type = type;
  if (before !== undefined) where.id = { lt: before };
  const rows = await prisma().delivery.findMany({ where, orderBy: { id: "desc" }, take: limit, include: withBody });
  return rows.map(readDelivery);
}

/** The rows that a delivery's body follows from. */
const withBody = { event: true, endpoint: { select: { kind: true } } } as const satisfies Prisma.DeliveryInclude;

type DeliveryRow = Prisma.DeliveryGetPayload<{ include: typeof withBody }>;

const readDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  endpointId: row.endpointId,
  eventId: row.eventId,
  sequence: row.sequence,
  type: row.type,
  tryAt: row.tryAt,
  createdAt: row.createdAt,
  endedAt: row.endedAt,
  state: row.state as DeliveryState,
  body: bodyOf(row.endpoint.kind as EndpointKind, eventOf(row)),
  tries: z.array(deliveryTry).parse(row.tries),
});

/** The event that a delivery brings, or the sample, or the confirmation. @throws Error for a sample of a type that is gone */
export function eventOf({ id, type, createdAt, event }: Pick<DeliveryRow, "id" | "type" | "createdAt" | "event">): AccountEvent {
  if (event) return readEvent(event);
  if (type === CONFIRMATION)
    return {
      id,
      type,
      at: createdAt,
      sequence: 1n,
      data: {},
    };
  if (!isEventType(type)) throw new Error(`there is no sample of ${type}`);
  return sampleEvent(id, type, createdAt);
}

export type Resent = "resent" | "unknown" | "endpoint_off";

/** Sends a delivery again, whatever became of it, with ten new attempts: the receiver knows it by the event's id. */
export async function resendDelivery(accountId: AccountId, deliveryId: string): Promise<Resent> {
  const found = await prisma().delivery.findFirst({
    where: { id: deliveryId, accountId, type: { not: CONFIRMATION } },
    include: { endpoint: true },
  });
  if (!found) return "unknown";
  if (found.endpoint.state !== "active") return "endpoint_off";
  await sendAgain(Prisma.sql`id = ${deliveryId}`, found.endpointId);
  return "resent";
}

/** Sends all again that failed since a moment, in order; how many, or null for an endpoint that is unknown or off. */
export async function resendFailed(accountId: AccountId, endpointId: string, since: Date): Promise<number | null> {
  const found = await prisma().endpoint.findFirst({ where: { id: endpointId, accountId, state: "active" } });
  if (!found) return null;
  const which = Prisma.sql`endpoint_id = ${endpointId} AND state = 'failed' AND ended_at >= ${since} AND type <> ${CONFIRMATION}`;
  return sendAgain(which, endpointId);
}

/** Locks the endpoint's row first, as recording an attempt does. */
async function sendAgain(which: Prisma.Sql, endpointId: string): Promise<number> {
  return inTransaction(async (transaction) => {
    await transaction.$queryRaw`SELECT events_wake(${[endpointId]}, ${now()})::text`;
    return transaction.$executeRaw`UPDATE delivery SET state = 'pending', try_at = ${now()}, ended_at = NULL, attempts = 0 WHERE ${which}`;
  });
}

export type SentSample = { id: string } | "off" | "too_many";

/** Sends an endpoint a sample of a type, the example of the documentation, unless it is unknown or off, or its account had ten in an hour. */
export async function sendSample(accountId: AccountId, endpointId: string, type: EventTypeName): Promise<SentSample> {
  const [row] = await prisma().$queryRaw<{ id: string | null }[]>`
    SELECT events_send_sample(${accountId}, ${endpointId}, ${type}, ${now()}) AS id`;
  if (!row?.id) return "off";
  return row.id === "too_many" ? "too_many" : { id: row.id };
}
