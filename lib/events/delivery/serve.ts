// Delivering: a process claims the endpoints that are due and sends to each what waits there, in the order of the account's events, one
// after the other. Endpoints are served side by side, so that one that hangs delays no other.

import { setTimeout as sleep } from "node:timers/promises";
import { now, nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { type Prisma, prisma } from "@/lib/db/prisma";
import { eventOf } from "../deliveries";
import { failPending, isSilent } from "../endpoints";
import { type OutsideClient, openOutsideClient } from "../outside/client";
import { claimEndpoints, releaseEndpoints, releaseOthers } from "./claims";
import { sendMails } from "./mails";
import { recordAttempt } from "./record";
import { sendEvent } from "./send";

/** Endpoints that a process serves at once: one that hangs keeps one place for 15 seconds. */
const ENDPOINTS_AT_ONCE = 100;
/** Mails under way at once, in places of their own: one mail server takes them all, and may hang for all of them. */
const MAILS_AT_ONCE = 10;

interface Claims {
  served: Map<string, Promise<void>>;
  /** As many of them are e-mail addresses. */
  mails: number;
  /** The claims of these end together, with the next round. */
  done: Set<string>;
  /** A claim failed, and may be committed all the same. */
  isUnsure: boolean;
}

const claims = processSingleton<Claims>("endpoints that are served", () => ({
  served: new Map(),
  mails: 0,
  done: new Set(),
  isUnsure: false,
}));

/** One round: starts to serve what is due, as far as there is room. It does not wait for what it starts. */
export async function deliverEvents(stopping: AbortSignal): Promise<void> {
  const held = claims();
  await releaseDone();
  if (held.isUnsure) await releaseOthers([...held.served.keys()]);
  held.isUnsure = true;
  const claimed = await claimEndpoints(ENDPOINTS_AT_ONCE - (held.served.size - held.mails), MAILS_AT_ONCE - held.mails);
  held.isUnsure = false;
  for (const endpoint of claimed) {
    const mails = endpoint.kind === "email" ? 1 : 0;
    held.mails += mails;
    const serving = serveEndpoint(endpoint, stopping).finally(() => {
      held.mails -= mails;
      held.served.delete(endpoint.id);
      held.done.add(endpoint.id);
    });
    held.served.set(endpoint.id, serving);
  }
}

/** Waits for what was started, and ends all claims. */
export async function endDelivery(): Promise<void> {
  await Promise.all(claims().served.values());
  await releaseDone();
}

async function releaseDone(): Promise<void> {
  const { done } = claims();
  const endpoints = [...done];
  if (endpoints.length === 0) return;
  await releaseEndpoints(endpoints);
  for (const id of endpoints) done.delete(id);
}

/** What cannot be recorded would be sent again at once, and again. */
const PAUSE_AFTER_ERROR_MS = 10_000;

async function serveEndpoint(endpoint: Prisma.EndpointModel, stopping: AbortSignal): Promise<void> {
  try {
    await (endpoint.kind === "email" ? sendMails(endpoint) : sendDue(endpoint, stopping));
  } catch (error) {
    if (stopping.aborted) return;
    log().error({ err: error, endpointId: endpoint.id }, "an endpoint could not be served; it is tried again");
    await sleep(PAUSE_AFTER_ERROR_MS, undefined, { signal: stopping, ref: false }).catch(() => undefined);
  }
}

/** Then the others get a place; it is due again at once. */
const MAX_SENT = 100;
const MAX_SERVED_MS = 60_000;
const BATCH = 25;

async function sendDue(claimed: Prisma.EndpointModel, stopping: AbortSignal): Promise<void> {
  const client = openOutsideClient(stopping);
  const until = performance.now() + MAX_SERVED_MS;
  let endpoint: Prisma.EndpointModel | null = claimed;
  try {
    for (let sent = 0; sent < MAX_SENT && performance.now() < until && !stopping.aborted; sent += BATCH) {
      if (sent > 0) endpoint = await prisma().endpoint.findUnique({ where: { id: claimed.id } });
      if (!endpoint) return;
      if (isSilent(endpoint)) return await failPending(endpoint.id, prisma());
      const deliveries = await findDue(endpoint.id);
      if (!(await sendBatch(endpoint, deliveries, { client, until, stopping })) || deliveries.length < BATCH) return;
    }
  } finally {
    await client.close();
  }
}

/** What is due to an endpoint: samples first, then in the order of the account's events. */
const findDue = (endpointId: string) =>
  prisma().delivery.findMany({
    where: { endpointId, state: "pending", tryAt: { lte: now() } },
    orderBy: { sequence: { sort: "asc", nulls: "first" } },
    take: BATCH,
    include: { event: true },
  });

type Due = Awaited<ReturnType<typeof findDue>>;

/** False once the endpoint is to be left alone. */
async function sendBatch(
  endpoint: Prisma.EndpointModel,
  deliveries: Due,
  { client, until, stopping }: { client: OutsideClient; until: number; stopping: AbortSignal },
): Promise<boolean> {
  let current = endpoint;
  for (const delivery of deliveries) {
    if (isSilent(current) || (current.restsUntil?.getTime() ?? 0) > nowMs()) return false;
    if (stopping.aborted || performance.now() >= until) return false;
    const startedAt = now();
    const outcome = await sendEvent(current, eventOf(delivery), client);
    current = await recordAttempt({ endpoint: current, delivery, outcome, startedAt });
  }
  return true;
}
