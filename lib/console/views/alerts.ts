// The events that an owner hears of, the endpoints where they do, and the deliveries.

import type { EndpointKind } from "@/lib/events/bodies";
import type { DeliveryState, DeliveryTry } from "@/lib/events/deliveries";

export type AlertEndpointState = "active" | "failing" | "resting" | "off" | "gone" | "failed" | "unsubscribed" | "unconfirmed";

export interface AlertEndpoint {
  id: string;
  kind: EndpointKind;
  /** What its owner calls it; otherwise its host or e-mail address. */
  name: string;
  /** Its name, and nothing where it has none: to be changed. */
  ownName: string;
  /** The host of its URL, or its e-mail address. */
  host: string;
  target: string;
  /** Null: all events. */
  types: readonly string[] | null;
  state: AlertEndpointState;
  /** Since when it fails, or until when it rests. */
  at: Date | null;
  /** Until then the secret before the last rotation signs too; null if it no longer does. */
  oldSecretUntil: Date | null;
}

export interface EventChoice {
  name: string;
  /** `Deposit credited` */
  title: string;
  /** `Deposits` */
  group: string;
  /** When it is sent: one sentence. */
  when: string;
}

export interface AlertDelivery {
  id: string;
  type: string;
  /** `Deposit credited` */
  title: string;
  isSample: boolean;
  /** The destination's name. */
  endpoint: string;
  state: DeliveryState;
  /** The result of the last attempt: `status 200`, `No answer within 15 seconds.`; null before the first. */
  last: string | null;
  /** The last 30 attempts, the oldest first. */
  tries: readonly DeliveryTry[];
  /** The request's body, as it is sent. */
  body: string;
  /** When it is tried next; null once it has ended. */
  tryAt: Date | null;
  createdAt: Date;
  /** Its endpoint is on. */
  canResend: boolean;
}

export interface HappenedEvent {
  id: string;
  type: string;
  title: string;
  at: Date;
  sentence: string;
}

/** The filters of the deliveries and the pages of both lists, as the URL spells them. */
export interface AlertsAddress {
  endpoint: string | null;
  state: string | null;
  type: string | null;
  /** The last delivery of the page before. */
  before: string | null;
  /** The number of the last event of the page before. */
  events: string | null;
}

/** The page that a link of a mail leads to. */
export interface MailPage {
  title: string;
  text: string;
  /** The button that does it; null when there is nothing to do. */
  action: string | null;
}

export interface AlertsView {
  /** Nano-USD; null: no alert. */
  lowBalance: bigint | null;
  endpoints: readonly AlertEndpoint[];
  /** False where the operator has not set up e-mail: it is not offered. */
  offersMail: boolean;
  deliveries: readonly AlertDelivery[];
  /** The cursor to older deliveries; null when there are none. */
  olderDeliveries: string | null;
  events: readonly HappenedEvent[];
  olderEvents: string | null;
}
