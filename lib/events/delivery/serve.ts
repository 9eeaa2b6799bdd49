// Delivering: a process claims the endpoints that are due and sends to each its waiting deliveries, in the order of the account's events,
// one after the other. Endpoints are served side by side, so that a hanging endpoint delays no other.

import { setTimeout as sleep } from "node:timers/promises";
import { now, nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { type Prisma, prisma } from "@/lib/db/prisma";
import { eventOf } from "../deliveries";
import { failPending, isSilent } from "../endpoints";
import { type OutsideClient, openOutsideClient } from "../outside/client";
import { SLOW_MS } from "./attempts";
import { type ClaimedEndpoint, claimEndpoints, type Lane, QUICK_MS, releaseEndpoints, releaseOthers } from "./claims";
import { sendMails } from "./mails";
import { recordAttempt } from "./record";
import { sendEvent } from "./send";

/** Endpoints that a process serves at once. All mails go through one mail server, which may hang for all of them. */
const placesOf: Readonly<Record<Lane, number>> = { quick: 100, new: 40, slow: 40, mail: 10 };
/**
 * Beside them, those that turned out to be slow while they were served, up to a number: in the places of the slow, endpoints that somebody
 * makes anew all the time would keep out all that are slow and answer.
 */
const MOST_LATE = 200;

interface Claims {
  served: Map<string, Promise<void>>;
  /** Places that are taken. */
  taken: Record<Lane | "late", number>;
  /** The claims of these end together, with the next round; with how long each takes to answer. */
  done: Map<string, number | null>;
  /** A claim failed, and may be committed all the same. */
  isUnsure: boolean;
}

const claims = processSingleton<Claims>("endpoints that are served", () => ({
  served: new Map(),
  taken: { quick: 0, new: 0, slow: 0, mail: 0, late: 0 },
  done: new Map(),
  isUnsure: false,
}));

/** One round: starts to serve the due endpoints, as far as there is room, and waits for none of them. */
export async function deliverEvents(stopping: AbortSignal): Promise<void> {
  const held = claims();
  await releaseDone();
  if (held.isUnsure) await releaseOthers([...held.served.keys()]);
  held.isUnsure = true;
  const free = (lane: Lane) => Math.max(0, placesOf[lane] - held.taken[lane]);
  const claimed = await claimEndpoints({ quick: free("quick"), new: free("new"), slow: free("slow"), mail: free("mail") });
  held.isUnsure = false;
  for (const endpoint of claimed) {
    const place = new Place(endpoint);
    const serving = serveEndpoint(endpoint, place, stopping).finally(() => {
      place.leave();
      held.served.delete(endpoint.id);
      held.done.set(endpoint.id, place.answerMs);
    });
    held.served.set(endpoint.id, serving);
  }
}

/** An endpoint's place in its lane, and how long it takes to answer. An endpoint that turns out to be slow leaves a quick place at once. */
class Place {
  #lane: Lane | "late";
  #answerMs: number | null;

  constructor({ lane, answerMs }: ClaimedEndpoint) {
    this.#lane = lane;
    this.#answerMs = answerMs;
    claims().taken[lane] += 1;
  }

  /** A running average, in whole milliseconds; null before the first answer. */
  get answerMs(): number | null {
    return this.#answerMs;
  }

  leave(): void {
    claims().taken[this.#lane] -= 1;
  }

  /** Measures one attempt. Returns its outcome and its time, in milliseconds. */
  async time<Result>(attempt: () => Promise<Result>): Promise<{ result: Result; ms: number }> {
    const slow = setTimeout(() => this.#yield(), QUICK_MS);
    const startedAt = performance.now();
    try {
      const result = await attempt();
      const ms = Math.round(performance.now() - startedAt);
      this.#answerMs = this.#answerMs === null ? ms : Math.round((3 * this.#answerMs + ms) / 4);
      return { result, ms };
    } finally {
      clearTimeout(slow);
    }
  }

  #yield(): void {
    if (this.#lane === "slow" || this.#lane === "late" || claims().taken.late >= MOST_LATE) return;
    this.leave();
    this.#lane = "late";
    claims().taken.late += 1;
  }
}

/** Waits for all deliveries that were started, and ends all claims. */
export async function endDelivery(): Promise<void> {
  await Promise.all(claims().served.values());
  await releaseDone();
}

async function releaseDone(): Promise<void> {
  const { done } = claims();
  const ended = new Map(done);
  if (ended.size === 0) return;
  await releaseEndpoints(ended);
  for (const id of ended.keys()) done.delete(id);
}

/** An attempt that cannot be recorded would be made again at once, and again. */
const PAUSE_AFTER_ERROR_MS = 10_000;

async function serveEndpoint({ lane, ...endpoint }: ClaimedEndpoint, place: Place, stopping: AbortSignal): Promise<void> {
  try {
    await (lane === "mail" ? sendMails(endpoint) : sendDue(endpoint, place, stopping));
  } catch (error) {
    if (stopping.aborted) return;
    log().error({ err: error, endpointId: endpoint.id }, "an endpoint could not be served; it is tried again");
    await sleep(PAUSE_AFTER_ERROR_MS, undefined, { signal: stopping, ref: false }).catch(() => undefined);
  }
}

/** Then the others get a place; it is due again at once. */
const MAX_SENT = 100;
const MAX_SERVED_MS = 15_000;
const BATCH = 25;

async function sendDue(claimed: Prisma.EndpointModel, place: Place, stopping: AbortSignal): Promise<void> {
  const client = openOutsideClient(stopping);
  const until = performance.now() + MAX_SERVED_MS;
  let endpoint: Prisma.EndpointModel | null = claimed;
  try {
    for (let sent = 0; sent < MAX_SENT && performance.now() < until && !stopping.aborted; sent += BATCH) {
      if (sent > 0) endpoint = await prisma().endpoint.findUnique({ where: { id: claimed.id } });
      if (!endpoint) return;
      if (isSilent(endpoint)) return await failPending(endpoint.id, prisma());
      const deliveries = await findDue(endpoint.id);
      if (!(await sendBatch(endpoint, deliveries, { client, place, until, stopping })) || deliveries.length < BATCH) return;
    }
  } finally {
    await client.close();
  }
}

/** An endpoint's due deliveries: samples first, then in the order of the account's events. */
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
  { client, place, until, stopping }: { client: OutsideClient; place: Place; until: number; stopping: AbortSignal },
): Promise<boolean> {
  let current = endpoint;
  for (const delivery of deliveries) {
    if (isSilent(current) || (current.restsUntil?.getTime() ?? 0) > nowMs()) return false;
    if (stopping.aborted || performance.now() >= until) return false;
    const startedAt = now();
    const { result: outcome, ms } = await place.time(() => sendEvent(current, eventOf(delivery), client));
    current = await recordAttempt({ endpoint: current, delivery, outcome, startedAt, isSlow: ms >= SLOW_MS });
  }
  return true;
}
