// Delivering: the queue's job of an endpoint sends what is due there, in the order of the account's events, one after the other. A process
// claims the endpoint first, so that two jobs of it never send at once; the claim of a process that died is freed within seconds.

import { z } from "zod";
import { dateOf, now, nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { processId } from "@/lib/db/heartbeat";
import { type Prisma, prisma } from "@/lib/db/prisma";
import { workOnQueue } from "@/lib/db/queue";
import { eventOf } from "../deliveries";
import { failPending } from "../endpoints";
import { type OutsideClient, openOutsideClient } from "../outside/client";
import { claimEndpoint, releaseEndpoint, wakeEndpointJobs } from "./claims";
import { recordAttempt } from "./record";
import { sendEvent } from "./send";

/** Endpoints that a process serves at once: one that hangs keeps one place for 15 seconds. */
const ENDPOINTS_AT_ONCE = 100;
/** A job that waits for its time is seen this late at the most; one for now is announced. */
const POLL_MS = 1_000;

/** Works on the queue until the jobs are stopped. */
export const deliverEvents = (stopping: AbortSignal): Promise<void> =>
  workOnQueue(
    { deliver: (payload) => serveEndpoint(jobPayload.parse(payload).endpointId, stopping) },
    { atOnce: ENDPOINTS_AT_ONCE, pollMs: POLL_MS, stopping },
  );

const jobPayload = z.object({ endpointId: z.string() });

/** Endpoints that this process serves, and whether they were asked for once more meanwhile. */
const served = processSingleton<Map<string, { isAskedAgain: boolean }>>("endpoints that are served", () => new Map());

/** Sends what is due to an endpoint, and puts its next job into the queue. */
export async function serveEndpoint(endpointId: string, stopping: AbortSignal): Promise<void> {
  const under = served().get(endpointId);
  if (under) {
    under.isAskedAgain = true;
    return;
  }
  const mine = { isAskedAgain: false };
  served().set(endpointId, mine);
  try {
    if (!(await claimEndpoint(endpointId))) return;
    await sendDue(endpointId, stopping).catch((error: unknown) => {
      if (!stopping.aborted) throw error;
    });
    await releaseEndpoint(endpointId);
  } catch (error) {
    // Its claim stands until `wakeEndpoints` frees it: what cannot be recorded must not be sent again and again.
    if (!stopping.aborted) log().error({ err: error, endpointId }, "an endpoint could not be served; it is tried again");
  } finally {
    served().delete(endpointId);
    if (mine.isAskedAgain) await wakeEndpointJobs([endpointId]);
  }
}

/** Then the others get a place; its next job follows at once. */
const MAX_SENT = 100;
const MAX_SERVED_MS = 60_000;
const BATCH = 25;

async function sendDue(endpointId: string, stopping: AbortSignal): Promise<void> {
  const client = openOutsideClient(stopping);
  const until = performance.now() + MAX_SERVED_MS;
  try {
    for (let sent = 0; sent < MAX_SENT && performance.now() < until && !stopping.aborted; sent += BATCH) {
      const endpoint = await prisma().endpoint.findUnique({ where: { id: endpointId } });
      if (!endpoint) return;
      if (endpoint.state !== "active") return await failPending(endpointId, prisma());
      const deliveries = await findDue(endpointId);
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
    if (current.state !== "active" || (current.restsUntil?.getTime() ?? 0) > nowMs()) return false;
    if (stopping.aborted || performance.now() >= until) return false;
    const startedAt = now();
    const outcome = await sendEvent(current, eventOf(delivery), client);
    current = await recordAttempt({ endpoint: current, delivery, outcome, startedAt });
  }
  return true;
}

/** A job that is this late is lost: its process died, or the database did not answer it. */
const LATE_MS = 10_000;

/** Wakes endpoints with overdue deliveries that nobody serves. A job runs it. */
export async function wakeEndpoints(): Promise<void> {
  // Claims of this process that its own runs could not end.
  await prisma().endpoint.updateMany({ where: { servedBy: processId(), id: { notIn: [...served().keys()] } }, data: { servedBy: null } });
  const late = dateOf(nowMs() - LATE_MS);
  const overdue = await prisma().endpoint.findMany({
    where: {
      servedBy: null,
      OR: [{ restsUntil: null }, { restsUntil: { lt: late } }],
      deliveries: { some: { state: "pending", tryAt: { lt: late } } },
    },
    select: { id: true },
  });
  if (overdue.length > 0) await wakeEndpointJobs(overdue.map(({ id }) => id));
}
