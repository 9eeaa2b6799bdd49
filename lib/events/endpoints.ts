// Endpoints: where the owner of an account hears of its events. Every function takes the account, and another account's endpoint counts
// as missing.

import { DAY_MS, dateOf, now } from "@/lib/base/clock";
import { type AccountId, newEndpointId } from "@/lib/base/ids";
import { mailAddress } from "@/lib/base/mail";
import { inTransaction, lockName, type Prisma, prisma } from "@/lib/db/prisma";
import type { EndpointKind } from "./bodies";
import { type EventTypeName, isEventType } from "./catalogue";
import { checkMail, requestConfirmation } from "./mail/confirmations";
import { checkTarget } from "./outside/target";
import { webhookSecret } from "./secrets";

export interface Endpoint {
  id: string;
  kind: EndpointKind;
  /** A URL, or an e-mail address. */
  target: string;
  /** What its owner calls it; null: nothing. */
  name: string | null;
  /** Null: all, also those that a later release adds. */
  types: readonly EventTypeName[] | null;
  state: "unconfirmed" | "active" | "disabled";
  /** owner: switched off; gone: it answered 410; failing: every delivery failed for five days; unsubscribed: its reader wants no mails. */
  disabledReason: "owner" | "gone" | "failing" | "unsubscribed" | null;
  /** Until then the secret before the last rotation signs too. */
  oldSecretUntil: Date | null;
  /** Failed attempts in a row. */
  failures: number;
  failingSince: Date | null;
  /** Until then nothing is sent. */
  restsUntil: Date | null;
  createdAt: Date;
}

/** The maximum number of endpoints of an account. */
export const MAX_ENDPOINTS = 20;
const OLD_SECRET_MS = DAY_MS;

export interface NewEndpoint {
  accountId: AccountId;
  kind: EndpointKind;
  /** An https URL, or an e-mail address. A chat is an incoming webhook of Slack, or one of Discord with /slack at its end. */
  target: string;
  name?: string | null;
  types: readonly EventTypeName[] | null;
}

type Made = { ok: true; endpointId: string; secret: string | null } | { ok: false; problem: string };

const refuse = (problem: string): { ok: false; problem: string } => ({ ok: false, problem });

/**
 * Creates an endpoint. The secret of a webhook is in this answer and never shown again; the others have none. An e-mail address is asked
 * first, and gets nothing else until it is confirmed. Otherwise `problem` says what to do.
 */
export async function createEndpoint({ accountId, kind, target, name = null, types }: NewEndpoint): Promise<Made> {
  const checked = kind === "email" ? checkAddress(target) : await checkTarget(target.trim());
  if (!checked.ok) return checked;
  const id = newEndpointId();
  const state = kind === "email" ? "unconfirmed" : "active";
  const row = { id, accountId, kind, name, target: checked.url, types: [...(types ?? [])], state, createdAt: now() };
  const problem = await storeEndpoint(row).catch((error: unknown) => {
    if (error instanceof NotStored) return error.message;
    throw error;
  });
  if (problem !== null) return refuse(problem);
  return { ok: true, endpointId: id, secret: kind === "webhook" ? webhookSecret(id, 1) : null };
}

function checkAddress(target: string): { ok: true; url: string } | { ok: false; problem: string } {
  const offered = checkMail();
  if (!offered.ok) return offered;
  const read = mailAddress.safeParse(target);
  return read.success ? { ok: true, url: read.data } : refuse(read.error.issues[0]?.message ?? "Enter a valid email address.");
}

/** Rolls the transaction back; the message is for the owner. */
class NotStored extends Error {}

const storeEndpoint = (data: Prisma.EndpointUncheckedCreateInput): Promise<null> =>
  inTransaction(async (transaction) => {
    const { accountId, kind, target } = data;
    await lockName(`endpoints of ${accountId}`, transaction);
    if ((await transaction.endpoint.count({ where: { accountId } })) >= MAX_ENDPOINTS)
      throw new NotStored(
        `You have reached the limit of ${MAX_ENDPOINTS} destinations. Delete one you no longer use. It counts until its last events are sent.`,
      );
    if (kind === "email" && (await transaction.endpoint.count({ where: { accountId, kind, target, deletedAt: null } })) > 0)
      throw new NotStored("You already added this address.");
    const made = await transaction.endpoint.create({ data });
    const asked = kind === "email" ? await requestConfirmation(made, transaction) : { ok: true as const };
    if (!asked.ok) throw new NotStored(asked.problem);
    return null;
  });

export const hasEndpoint = async (accountId: AccountId): Promise<boolean> =>
  (await prisma().endpoint.findFirst({ where: { accountId, deletedAt: null }, select: { id: true } })) !== null;

/** The account's endpoints, the newest first. */
export async function listEndpoints(accountId: AccountId): Promise<Endpoint[]> {
  const rows = await prisma().endpoint.findMany({ where: { accountId, deletedAt: null }, orderBy: { id: "desc" } });
  return rows.map(readEndpoint);
}

const readEndpoint = (row: Prisma.EndpointModel): Endpoint => ({
  id: row.id,
  target: row.target,
  name: row.name,
  oldSecretUntil: row.oldSecretUntil,
  failures: row.failures,
  failingSince: row.failingSince,
  restsUntil: row.restsUntil,
  createdAt: row.createdAt,
  kind: row.kind as EndpointKind,
  types: row.types.length === 0 ? null : row.types.filter(isEventType),
  state: row.state as Endpoint["state"],
  disabledReason: row.disabledReason as Endpoint["disabledReason"],
});

/** False for an unknown endpoint, as in the functions below. Deliveries that are under way are sent all the same. */
export async function setEndpointTypes(accountId: AccountId, endpointId: string, types: readonly EventTypeName[] | null): Promise<boolean> {
  const { count } = await prisma().endpoint.updateMany({
    where: { id: endpointId, accountId, deletedAt: null },
    data: { types: [...(types ?? [])] },
  });
  return count === 1;
}

/** Null takes its name away. */
export async function renameEndpoint(accountId: AccountId, endpointId: string, name: string | null): Promise<boolean> {
  const { count } = await prisma().endpoint.updateMany({ where: { id: endpointId, accountId, deletedAt: null }, data: { name } });
  return count === 1;
}

/** Switches an endpoint off: it still gets the deliveries under way, and the event that it was switched off, but no later ones. */
export async function disableEndpoint(accountId: AccountId, endpointId: string): Promise<boolean> {
  const { count } = await prisma().endpoint.updateMany({
    where: { id: endpointId, accountId, state: "active" },
    data: { state: "disabled", disabledReason: "owner" },
  });
  return count === 1;
}

/** Whether nothing at all is sent to an endpoint any more: its reader said so, or cannot be reached. */
export const isSilent = ({ state, disabledReason }: Pick<Prisma.EndpointModel, "state" | "disabledReason">): boolean =>
  state === "disabled" && disabledReason !== "owner";

/** The others, also those that their owner switched off or deleted. */
export const receiving = { OR: [{ state: "active" }, { disabledReason: "owner" }] } satisfies Prisma.EndpointWhereInput;

/** Ends the deliveries that a silent endpoint has not received yet. */
export async function failPending(endpointId: string, transaction: Prisma.TransactionClient): Promise<void> {
  await transaction.delivery.updateMany({
    where: { endpointId, state: "pending" },
    data: { state: "failed", tryAt: null, endedAt: now() },
  });
}

/** Switches a disabled endpoint on again; it gets later events. One whose reader wants no mails is asked again instead. */
export async function enableEndpoint(accountId: AccountId, endpointId: string): Promise<boolean> {
  const { count } = await prisma().endpoint.updateMany({
    where: { id: endpointId, accountId, deletedAt: null, state: "disabled", disabledReason: { not: "unsubscribed" } },
    data: { state: "active", disabledReason: null, failures: 0, failingSince: null, restsUntil: null },
  });
  return count === 1;
}

/**
 * Deletes an endpoint, which its owner sees no more. An endpoint that receives is deleted with its deliveries once it got those under way,
 * and the event of its deletion: the person who deletes it may not be its reader.
 */
export async function deleteEndpoint(accountId: AccountId, endpointId: string): Promise<boolean> {
  const where = { id: endpointId, accountId, deletedAt: null };
  const last = { state: "disabled", disabledReason: "owner", deletedAt: now() };
  const { count } = await prisma().endpoint.updateMany({ where: { ...where, ...receiving }, data: last });
  return count === 1 || (await prisma().endpoint.deleteMany({ where })).count === 1;
}

/** Deletes those that were deleted and have received everything. A job runs it. */
export async function deleteEndedEndpoints(): Promise<void> {
  await prisma().$executeRaw`
    DELETE FROM endpoint p WHERE p.deleted_at IS NOT NULL
      AND NOT EXISTS (SELECT FROM delivery d WHERE d.endpoint_id = p.id AND d.state = 'pending')
      AND NOT EXISTS (SELECT FROM event e WHERE e.account_id = p.account_id AND e.sequence IS NULL)`;
}

/** Deletes everything of an account that is closed, in the order in which deliveries lock it: an event, its deliveries, their endpoints. */
export async function deleteEventsOf(accountId: AccountId, transaction: Prisma.TransactionClient): Promise<void> {
  await transaction.event.deleteMany({ where: { accountId } });
  await transaction.delivery.deleteMany({ where: { accountId } });
  await transaction.endpoint.deleteMany({ where: { accountId } });
}

/**
 * A webhook's new secret, which is never shown again. For 24 hours the old one signs too, and there is no newer one: two at once would leave
 * its reader with none that it knows. Null for any other endpoint.
 */
export async function rotateSecret(accountId: AccountId, endpointId: string): Promise<{ secret: string } | "too_soon" | null> {
  const where = { id: endpointId, accountId, kind: "webhook", deletedAt: null };
  const [row] = await prisma().endpoint.updateManyAndReturn({
    where: { ...where, OR: [{ oldSecretUntil: null }, { oldSecretUntil: { lte: now() } }] },
    data: { secretNumber: { increment: 1 }, oldSecretUntil: dateOf(now().getTime() + OLD_SECRET_MS) },
  });
  if (row) return { secret: webhookSecret(row.id, row.secretNumber) };
  return (await prisma().endpoint.count({ where })) > 0 ? "too_soon" : null;
}
