// The mails to an endpoint: the confirmation, and the alerts.

import { DAY_MS, dateOf, nowMs } from "@/lib/base/clock";
import type { Prisma } from "@/lib/db/prisma";
import type { Outcome } from "../delivery/send";
import { isSilent } from "../endpoints";
import type { AccountEvent } from "../outbox";
import { confirmUrl, oneClickUrl, unsubscribeUrl } from "./links";
import { alertMail, confirmationMail } from "./message";
import { ADDRESS_REFUSED, sendMail } from "./smtp";

const LINK_MS = DAY_MS;

const notConfirmed: Outcome = { isDelivered: false, isFinal: true, error: "This address is not confirmed." };

/** Asks the address; a link is good for 24 hours after its mail. A refused address is not asked again. */
export async function sendConfirmation(endpoint: Prisma.EndpointModel): Promise<Outcome> {
  const { id, target } = endpoint;
  const mail = confirmationMail(confirmUrl(endpoint, dateOf(nowMs() + LINK_MS)), unsubscribeUrl(id));
  const outcome = await sendMail({ ...mail, to: target, oneClickUrl: oneClickUrl(id) });
  return outcome.error === ADDRESS_REFUSED ? { ...outcome, isFinal: true } : outcome;
}

/** One mail of these events. `more`: as many others are not listed. */
export async function sendAlerts(
  { id, target, state, disabledReason }: Prisma.EndpointModel,
  events: readonly AccountEvent[],
  more: number,
): Promise<Outcome> {
  if (state === "unconfirmed" || isSilent({ state, disabledReason })) return notConfirmed;
  return sendMail({ ...alertMail(events, { more, unsubscribeUrl: unsubscribeUrl(id) }), to: target, oneClickUrl: oneClickUrl(id) });
}
