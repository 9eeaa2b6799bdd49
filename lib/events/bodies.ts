// The bodies sent for an event, by the kind of endpoint. A body follows from its event, so nothing of it is stored with a delivery.

import { assertNever } from "@/lib/base/assert";
import { config } from "@/lib/base/config";
import { writeJson } from "@/lib/base/json";
import { type EventTypeName, eventTypes } from "./catalogue";
import { readEventData } from "./event-data";
import { type AccountEvent, eventBody } from "./outbox";
import { sentenceOf } from "./sentences";

/** webhook: the event, signed. chat: one sentence in Slack's form, which Discord takes at …/slack. email: a mail with sentences. */
export const endpointKinds = ["webhook", "chat", "email"] as const;
export type EndpointKind = (typeof endpointKinds)[number];

/** The type of a delivery that asks an e-mail address whether it wants alerts; no event. */
export const CONFIRMATION = "confirmation";

const SAMPLE_ID = "evt_sample_";

/** Its figures are made up. Whatever brings it says so: nobody must act on it. */
const isSample = ({ id }: Pick<AccountEvent, "id">): boolean => id.startsWith(SAMPLE_ID);

/** For people: an event in a sentence or two. */
export const lineOf = (event: AccountEvent): string => `${isSample(event) ? "(Sample) " : ""}${sentenceOf(event)}`;

/** The event of a sample: the example of its type, under an id of its own. */
export const sampleEvent = (deliveryId: string, type: EventTypeName, at: Date): AccountEvent => ({
  id: deliveryId.replace(/^dlv_/, SAMPLE_ID),
  sequence: 1n,
  type,
  at,
  data: readEventData(type, eventTypes[type].example),
});

export function bodyOf(kind: EndpointKind, event: AccountEvent): string {
  switch (kind) {
    case "webhook":
      return writeJson(isSample(event) ? { ...eventBody(event), sample: true } : eventBody(event));
    case "chat":
      return writeJson({ text: `${config().SERVICE_NAME}: ${escapeForSlack(lineOf(event))}` });
    case "email":
      // The link is for the address alone: an account must not confirm somebody else's.
      return event.type === CONFIRMATION ? "A link that confirms this address. It expires after 24 hours." : lineOf(event);
    default:
      return assertNever(kind);
  }
}

/** Slack reads these three as its own marks: a key's name must not become a link or a call to everybody. */
const escapeForSlack = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
