// The alerts page as its owner sees it: the threshold, the endpoints, the deliveries to them, and the events.

import { listKeyNames } from "@/lib/access/key-names";
import { nowMs } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { CONFIRMATION } from "@/lib/events/bodies";
import { type EventTypeName, eventTypes, isEventType } from "@/lib/events/catalogue";
import { type Delivery, type DeliveryTry, listDeliveries } from "@/lib/events/deliveries";
import { type Endpoint, listEndpoints } from "@/lib/events/endpoints";
import { checkMail } from "@/lib/events/mail/confirmations";
import { type AccountEvent, listNewestEvents } from "@/lib/events/outbox";
import { sentenceOf } from "@/lib/events/sentences";
import { readLowLine } from "@/lib/ledger/accounts";
import type { Owner } from "../owner";
import type { AlertDelivery, AlertEndpoint, AlertEndpointState, AlertsView, EventChoice, HappenedEvent } from "../views/alerts";
import type { AlertsQuery } from "./alerts-form";

const PAGE_ROWS = 25;

export async function readAlerts({ accountId }: Owner, query: AlertsQuery): Promise<AlertsView> {
  const filter = {
    endpointId: query.endpoint ?? undefined,
    state: query.state ?? undefined,
    type: query.type ?? undefined,
    before: query.before ?? undefined,
  };
  const beforeEvent = query.events === null ? undefined : BigInt(query.events);
  const [lowBalance, endpoints, deliveries, events] = await Promise.all([
    readLowLine(accountId),
    listEndpoints(accountId),
    listDeliveries(accountId, { ...filter, limit: PAGE_ROWS + 1 }),
    listNewestEvents(accountId, { before: beforeEvent, limit: PAGE_ROWS + 1 }),
  ]);
  const endpointOf = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const [shownDeliveries, shownEvents] = [deliveries.slice(0, PAGE_ROWS), events.slice(0, PAGE_ROWS)];
  return {
    lowBalance,
    offersMail: checkMail().ok,
    endpoints: endpoints.map(viewEndpoint),
    deliveries: shownDeliveries.map((delivery) => viewDelivery(delivery, endpointOf.get(delivery.endpointId))),
    olderDeliveries: deliveries.length > PAGE_ROWS ? (shownDeliveries.at(-1)?.id ?? null) : null,
    events: await viewEvents(accountId, shownEvents),
    olderEvents: events.length > PAGE_ROWS ? (shownEvents.at(-1)?.sequence.toString() ?? null) : null,
  };
}

function viewEndpoint(endpoint: Endpoint): AlertEndpoint {
  const { id, kind, target, name, types, oldSecretUntil } = endpoint;
  const isOldValid = oldSecretUntil !== null && oldSecretUntil.getTime() > nowMs();
  const host = hostOf(endpoint);
  return {
    id,
    kind,
    host,
    target,
    types,
    name: name ?? host,
    ownName: name ?? "",
    oldSecretUntil: isOldValid ? oldSecretUntil : null,
    ...stateOf(endpoint),
  };
}

const hostOf = ({ kind, target }: Pick<Endpoint, "kind" | "target">): string => (kind === "email" ? target : new URL(target).host);

function stateOf({ state, disabledReason, restsUntil, failingSince }: Endpoint): { state: AlertEndpointState; at: Date | null } {
  if (state === "unconfirmed") return { state, at: null };
  if (state === "disabled") {
    if (disabledReason === "failing") return { state: "failed", at: failingSince };
    return { state: disabledReason === "owner" || disabledReason === null ? "off" : disabledReason, at: null };
  }
  // A mail address is left alone after each mail, too.
  if (failingSince && restsUntil && restsUntil.getTime() > nowMs()) return { state: "resting", at: restsUntil };
  return failingSince ? { state: "failing", at: failingSince } : { state, at: null };
}

function viewDelivery(delivery: Delivery, endpoint: Endpoint | undefined): AlertDelivery {
  const { id, type, state, tries, body, tryAt, createdAt, eventId } = delivery;
  const last = tries.at(-1);
  return {
    id,
    type,
    state,
    tries,
    body,
    tryAt,
    createdAt,
    isSample: eventId === null && type !== CONFIRMATION,
    last: last ? outcomeOf(last) : null,
    title: titleOf(type),
    endpoint: endpoint ? (endpoint.name ?? hostOf(endpoint)) : "a deleted destination", // it still gets deliveries under way
    canResend: endpoint?.state === "active" && type !== CONFIRMATION,
  };
}

/** A type that a newer release wrote has no name yet. */
const titleOf = (type: string): string =>
  type === CONFIRMATION ? "Address confirmation" : isEventType(type) ? eventTypes[type].title : type;

const outcomeOf = ({ status, error }: DeliveryTry): string => error ?? (status === undefined ? "no response" : `status ${status}`);

/** Keys by their present names: the events about their spend have only an id. */
async function viewEvents(accountId: AccountId, events: readonly AccountEvent[]): Promise<HappenedEvent[]> {
  const keyIds = events.flatMap(({ data: { keyId } }) => (typeof keyId === "string" ? [keyId] : []));
  const names = await listKeyNames(accountId, keyIds);
  return events.map(({ id, type, at, data }) => {
    const named = names.find(({ keyId }) => keyId === data.keyId);
    const withName = named ? { name: named.name, last4: named.last4, ...data } : data;
    return { id, type, at, title: titleOf(type), sentence: sentenceOf({ type, data: withName }) };
  });
}

/** The types of events that an endpoint can have, in the order in which they are offered. */
export const listEventChoices = (): EventChoice[] =>
  (Object.keys(eventTypes) as EventTypeName[]).map((name) => ({
    name,
    group: groups[name.split(".")[0] as Group],
    title: eventTypes[name].title,
    when: eventTypes[name].when,
  }));

type GroupOf<Name> = Name extends `${infer Group}.${string}` ? Group : never;
type Group = GroupOf<EventTypeName>;

const groups: Readonly<Record<Group, string>> = {
  account: "Account",
  balance: "Balance",
  deposit: "Deposits",
  payment: "Payments",
  withdrawal: "Withdrawals",
  key: "Keys",
  endpoint: "Destinations",
  model: "Models",
  price: "Models",
  wallet: "Wallets",
};

/** The types of events, and what each one is sent for. */
export const listEventTypes = (): Record<string, string> =>
  Object.fromEntries(Object.entries(eventTypes).map(([type, { when }]) => [type, when]));
