// Claims: the row of an endpoint says when it is due, and which process sends to it.

import { now } from "@/lib/base/clock";
import { type DeadProcess, processId } from "@/lib/db/heartbeat";
import { type Prisma, prisma } from "@/lib/db/prisma";

/** Kinds of places: who is slow, or has not answered yet, delays no others, and a mail server delays no webhook. */
export type Lane = "quick" | "new" | "slow" | "mail";

export type ClaimedEndpoint = Prisma.EndpointModel & { lane: Lane };

/** An endpoint that answers within it on average is quick. */
export const QUICK_MS = 2_000;

/** Of an account at once, in all processes. */
const ofOne: Readonly<Record<Lane, number>> = { quick: 10, new: 2, slow: 4, mail: 4 };

/** Up to so many endpoints of each lane that are due and that nobody serves; they are this process's until it releases them. */
export async function claimEndpoints(places: Readonly<Record<Lane, number>>): Promise<ClaimedEndpoint[]> {
  if (Object.values(places).every((count) => count === 0)) return [];
  const lanes = Object.keys(places) as Lane[];
  const claimed = await prisma().$queryRaw<{ id: string; lane: Lane }[]>`
    SELECT id, lane FROM events_claim_lanes(${processId()}, ${lanes}, ${lanes.map((lane) => places[lane])}::integer[],
      ${lanes.map((lane) => ofOne[lane])}::integer[], ${QUICK_MS}::integer, ${now()})`;
  if (claimed.length === 0) return [];
  const laneOf = new Map(claimed.map(({ id, lane }) => [id, lane]));
  const endpoints = await prisma().endpoint.findMany({ where: { id: { in: [...laneOf.keys()] } } });
  return endpoints.map((endpoint) => ({ lane: laneOf.get(endpoint.id) ?? "slow", ...endpoint }));
}

/**
 * Ends claims; an endpoint with something left to send is due again.
 * @param endpoints by id, how long each takes to answer, milliseconds; null when it was not asked
 */
export async function releaseEndpoints(endpoints: ReadonlyMap<string, number | null>): Promise<void> {
  await prisma().$queryRaw`
    SELECT events_release_timed(${[...endpoints.keys()]}, ${[...endpoints.values()]}::integer[], ${processId()}, ${now()})::text`;
}

/** Ends this process's claims on all but these endpoints. */
export const releaseOthers = async (endpoints: readonly string[]): Promise<void> =>
  void (await prisma().endpoint.updateMany({ where: { servedBy: processId(), id: { notIn: [...endpoints] } }, data: { servedBy: null } }));

/** Frees the endpoints that a dead process served, unless it has beaten since. */
export const freeEndpointsOf = async ({ id, beat }: DeadProcess): Promise<void> =>
  void (await prisma().$queryRaw`SELECT events_free_dead(${id}, ${beat}::bigint)::text`);
