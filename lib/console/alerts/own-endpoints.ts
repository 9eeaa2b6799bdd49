// An owner's actions on alerts. Every function takes the owner, and another account's endpoint or delivery counts as missing.

import { dateOf, HOUR_MS, nowMs } from "@/lib/base/clock";
import type { NanoUsd } from "@/lib/base/money";
import type { EventTypeName } from "@/lib/events/catalogue";
import { resendDelivery, resendFailed, sendSample } from "@/lib/events/deliveries";
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  type NewEndpoint,
  renameEndpoint,
  rotateSecret,
  setEndpointTypes,
} from "@/lib/events/endpoints";
import { requestAgain } from "@/lib/events/mail/confirmations";
import { setLowLine } from "@/lib/ledger/accounts";
import { frozenRefusal, refuse } from "../answer";
import type { Owner } from "../owner";
import type { Answer } from "../views/answer";

/** Below this balance the owner hears of it; null turns that off. */
export async function setOwnLowBalance({ accountId, isFrozen }: Owner, line: NanoUsd | null): Promise<Answer> {
  if (isFrozen) return frozenRefusal();
  await setLowLine(accountId, line);
  return { ok: true };
}

/** Creates an endpoint. The secret of a webhook is in this answer and never shown again; the others have none. */
export async function addOwnEndpoint(
  { accountId, isFrozen }: Owner,
  wish: Omit<NewEndpoint, "accountId">,
): Promise<Answer<{ secret: string | null }>> {
  if (isFrozen) return frozenRefusal();
  const made = await createEndpoint({ accountId, ...wish });
  return made.ok ? { ok: true, secret: made.secret } : refuse(made.problem, "target");
}

/** Sends an address another confirmation. */
export async function requestOwnConfirmation({ accountId, isFrozen }: Owner, endpointId: string): Promise<Answer> {
  if (isFrozen) return frozenRefusal();
  const asked = await requestAgain(accountId, endpointId);
  return asked.ok ? { ok: true } : refuse(asked.problem);
}

const noSuchEndpoint = () => refuse("Destination not found. Reload the page.");
const isOff = () => refuse("This destination is turned off. Turn it on first.");

const doneOr = (done: boolean): Answer => (done ? { ok: true } : noSuchEndpoint());

/** Null: by its host or its address. */
export async function renameOwnEndpoint(
  { accountId, isFrozen }: Owner,
  { endpointId, name }: { endpointId: string; name: string | null },
): Promise<Answer> {
  return isFrozen ? frozenRefusal() : doneOr(await renameEndpoint(accountId, endpointId, name));
}

/** Null: all events. */
export async function setOwnEndpointTypes(
  { accountId, isFrozen }: Owner,
  { endpointId, types }: { endpointId: string; types: readonly EventTypeName[] | null },
): Promise<Answer> {
  return isFrozen ? frozenRefusal() : doneOr(await setEndpointTypes(accountId, endpointId, types));
}

/** Switching an endpoint to the state it is in is refused: the page is out of date. */
export async function switchOwnEndpoint({ accountId, isFrozen }: Owner, endpointId: string, state: "on" | "off"): Promise<Answer> {
  if (isFrozen) return frozenRefusal();
  const done = state === "on" ? await enableEndpoint(accountId, endpointId) : await disableEndpoint(accountId, endpointId);
  return done ? { ok: true } : refuse(`Destination not found, or it is already ${state}. Reload the page.`);
}

export async function deleteOwnEndpoint({ accountId, isFrozen }: Owner, endpointId: string): Promise<Answer> {
  return isFrozen ? frozenRefusal() : doneOr(await deleteEndpoint(accountId, endpointId));
}

/** A webhook's new secret, which is never shown again. */
export async function renewOwnSecret({ accountId, isFrozen }: Owner, endpointId: string): Promise<Answer<{ secret: string }>> {
  if (isFrozen) return frozenRefusal();
  const made = await rotateSecret(accountId, endpointId);
  if (made === "too_soon")
    return refuse("You changed this secret less than 24 hours ago. You can change it again once the old one expires.");
  return made === null ? noSuchEndpoint() : { ok: true, ...made };
}

export async function sendOwnSample(
  { accountId, isFrozen }: Owner,
  { endpointId, type }: { endpointId: string; type: EventTypeName },
): Promise<Answer> {
  if (isFrozen) return frozenRefusal();
  const sent = await sendSample(accountId, endpointId, type);
  if (sent === "too_many") return refuse("You have sent ten samples in the last hour. Try again later.");
  return sent === "off" ? isOff() : { ok: true };
}

/** Sends all again that failed within the last `hours`. */
export async function resendOwnFailed(
  { accountId, isFrozen }: Owner,
  { endpointId, hours }: { endpointId: string; hours: number },
): Promise<Answer<{ count: number }>> {
  if (isFrozen) return frozenRefusal();
  const count = await resendFailed(accountId, endpointId, dateOf(nowMs() - hours * HOUR_MS));
  return count === null ? isOff() : { ok: true, count };
}

export async function resendOwnDelivery({ accountId, isFrozen }: Owner, deliveryId: string): Promise<Answer> {
  if (isFrozen) return frozenRefusal();
  const outcome = await resendDelivery(accountId, deliveryId);
  if (outcome === "endpoint_off") return isOff();
  return outcome === "resent" ? { ok: true } : refuse("Delivery not found. Reload the page.");
}
