// Claims: the row of an endpoint says when it is due, and which process sends to it.

import { now } from "@/lib/base/clock";
import { type DeadProcess, processId } from "@/lib/db/heartbeat";
import { type Prisma, prisma } from "@/lib/db/prisma";

/**
 * Up to `most` endpoints that are due and that nobody serves, and `mostMails` e-mail addresses beside them; they are this process's until
 * it releases them.
 */
export async function claimEndpoints(most: number, mostMails: number): Promise<Prisma.EndpointModel[]> {
  if (most + mostMails === 0) return [];
  const claimed = await prisma().$queryRaw<{ id: string }[]>`
    SELECT id FROM events_claim(${processId()}, ${most}::integer, ${mostMails}::integer, ${now()})`;
  if (claimed.length === 0) return [];
  return prisma().endpoint.findMany({ where: { id: { in: claimed.map(({ id }) => id) } } });
}

/** Ends claims; an endpoint with something left to send is due again. */
export const releaseEndpoints = async (endpoints: readonly string[]): Promise<void> =>
  void (await prisma().$queryRaw`SELECT events_release(${endpoints}, ${processId()})::text`);

/** Ends this process's claims on all but these endpoints. */
export const releaseOthers = async (endpoints: readonly string[]): Promise<void> =>
  void (await prisma().endpoint.updateMany({ where: { servedBy: processId(), id: { notIn: [...endpoints] } }, data: { servedBy: null } }));

/** Frees what a dead process served, unless it has beaten since. */
export const freeEndpointsOf = async ({ id, beat }: DeadProcess): Promise<void> =>
  void (await prisma().$queryRaw`SELECT events_free_dead(${id}, ${beat}::bigint)::text`);
