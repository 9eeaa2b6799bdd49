// The reader of an address stops its mails, by a link in each of them. Its owner can only ask them again.

import { dateOf, now, nowMs } from "@/lib/base/clock";
import { setActor } from "@/lib/db/acting";
import { inTransaction, prisma } from "@/lib/db/prisma";
import { failPending } from "../endpoints";
import { findRefusal, refuseConfirmations } from "./confirmations";
import { readUnsubscribeToken } from "./links";

export interface UnsubscribeLink {
  /** on: mails may be sent. off: none is sent. unknown: no link of ours, or its endpoint was deleted long ago. */
  state: "on" | "off" | "unknown";
  address: string | null;
}

/** What a link leads to. It changes nothing: mail scanners open links. */
export async function readUnsubscribeLink(token: string): Promise<UnsubscribeLink> {
  const id = readUnsubscribeToken(token);
  const endpoint = id === null ? null : await prisma().endpoint.findUnique({ where: { id } });
  if (!endpoint) return readDeleted(id);
  return { state: endpoint.disabledReason === "unsubscribed" ? "off" : "on", address: endpoint.target };
}

/** An address that was only asked can refuse after its endpoint was deleted, too. */
async function readDeleted(id: string | null): Promise<UnsubscribeLink> {
  const refusal = id === null ? null : await findRefusal(id);
  return { state: refusal ? (refusal.isRefused ? "off" : "on") : "unknown", address: null };
}

/** Stops the mails to the address of a link. Repeating it changes nothing. */
export async function unsubscribe(token: string): Promise<UnsubscribeLink> {
  const id = readUnsubscribeToken(token);
  if (id !== null) await stopMails(id);
  return readUnsubscribeLink(token);
}

async function stopMails(id: string): Promise<void> {
  setActor({ kind: "link", endpointId: id });
  await inTransaction(async (transaction) => {
    const endpoint = await transaction.endpoint.findUnique({ where: { id } });
    if (!endpoint || endpoint.state === "unconfirmed") await refuseConfirmations(id, transaction);
    if (!endpoint || endpoint.disabledReason === "unsubscribed") return;
    const { accountId, kind, target, state } = endpoint;
    // Even if it was off already: only a new confirmation switches it on.
    await transaction.endpoint.update({ where: { id }, data: { state: "disabled", disabledReason: "unsubscribed" } });
    await failPending(id, transaction);
    const told = {
      endpointId: id,
      kind,
      host: target.replace(/^.*@/, ""),
      reason: "unsubscribed",
      failingSince: dateOf(nowMs()).toISOString(),
    };
    if (state === "active") await transaction.$queryRaw`SELECT events_record(${accountId}, 'endpoint.disabled', ${told}, ${now()})::text`;
  });
}
