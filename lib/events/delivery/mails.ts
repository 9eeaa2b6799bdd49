// Mails instead of a flood: the first event is sent at once, and then an address is left alone for ten minutes. Events of the meantime go
// into one mail; those that want somebody to act are listed even when there is no room for all.

import { DAY_MS, dateOf, now, nowMs } from "@/lib/base/clock";
import { type Prisma, prisma } from "@/lib/db/prisma";
import { CONFIRMATION } from "../bodies";
import { eventOf } from "../deliveries";
import { failPending, isSilent } from "../endpoints";
import { confirmUrl, oneClickUrl, unsubscribeUrl } from "../mail/links";
import { alertMail, confirmationMail, urgentFirst } from "../mail/message";
import { ADDRESS_REFUSED, sendMail } from "../mail/smtp";
import type { AccountEvent } from "../outbox";
import { recordMail } from "./record";
import type { Outcome } from "./send";

/** An address gets at most one mail of alerts in this time. */
const QUIET_MS = 10 * 60_000;
/** As many events of a mail are listed; of the others it says how many they are. */
const MAX_LINES = 20;
/** Further due events go into the next mail. */
const MAX_IN_MAIL = 10_000;

const notConfirmed: Outcome = { isDelivered: false, isFinal: true, error: "This address has not been confirmed." };

/** Sends an e-mail address its due deliveries: the confirmation, or one mail of all events. */
export async function sendMails(endpoint: Prisma.EndpointModel): Promise<void> {
  if (isSilent(endpoint)) return failPending(endpoint.id, prisma());
  if ((endpoint.restsUntil?.getTime() ?? 0) > nowMs()) return;
  const due = await findDue(endpoint.id);
  const isConfirmation = ({ type }: Due): boolean => type === CONFIRMATION;
  await sendOne(endpoint, due.filter(isConfirmation), () => sendConfirmation(endpoint));
  const alerts = due.filter((delivery) => !isConfirmation(delivery));
  await sendOne(endpoint, alerts, () => sendListed(endpoint, alerts));
}

/** Without the events: of many of them only a few are listed. */
const findDue = (endpointId: string) =>
  prisma().delivery.findMany({
    where: { endpointId, state: "pending", tryAt: { lte: now() } },
    orderBy: { sequence: { sort: "asc", nulls: "first" } },
    take: MAX_IN_MAIL,
    select: { id: true, type: true, attempts: true },
  });

type Due = Awaited<ReturnType<typeof findDue>>[number];

async function sendOne(endpoint: Prisma.EndpointModel, deliveries: readonly Due[], send: () => Promise<Outcome>): Promise<void> {
  if (deliveries.length === 0) return;
  const startedAt = now();
  const outcome = await send();
  await recordMail({ endpoint, deliveries, outcome, startedAt, quietUntil: dateOf(nowMs() + QUIET_MS) });
}

async function sendListed(endpoint: Prisma.EndpointModel, alerts: readonly Due[]): Promise<Outcome> {
  const ids = urgentFirst(alerts)
    .slice(0, MAX_LINES)
    .map(({ id }) => id);
  const listed = await prisma().delivery.findMany({ where: { id: { in: ids } }, include: { event: true }, orderBy: { sequence: "asc" } });
  return sendAlerts(endpoint, listed.map(eventOf), alerts.length - listed.length);
}

/** Asks the address; a link is good for 24 hours after its mail. A refused address is not asked again. */
async function sendConfirmation(endpoint: Prisma.EndpointModel): Promise<Outcome> {
  const { id, target } = endpoint;
  const mail = confirmationMail(confirmUrl(endpoint, dateOf(nowMs() + DAY_MS)), unsubscribeUrl(id));
  const outcome = await sendMail({ ...mail, to: target, oneClickUrl: oneClickUrl(id) });
  return outcome.error === ADDRESS_REFUSED ? { ...outcome, isFinal: true } : outcome;
}

/** One mail of these events. `more`: as many others are not listed. */
async function sendAlerts(
  { id, target, state, disabledReason }: Prisma.EndpointModel,
  events: readonly AccountEvent[],
  more: number,
): Promise<Outcome> {
  if (state === "unconfirmed" || isSilent({ state, disabledReason })) return notConfirmed;
  return sendMail({ ...alertMail(events, { more, unsubscribeUrl: unsubscribeUrl(id) }), to: target, oneClickUrl: oneClickUrl(id) });
}
