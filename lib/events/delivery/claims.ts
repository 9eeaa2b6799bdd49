// Claims: one process at a time sends to an endpoint.

import { processId } from "@/lib/db/heartbeat";
import { prisma } from "@/lib/db/prisma";

/** False while another process serves it, or when it is deleted. */
export async function claimEndpoint(endpointId: string): Promise<boolean> {
  const [row] = await prisma().$queryRaw<{ claimed: boolean }[]>`SELECT events_claim(${endpointId}, ${processId()}) AS claimed`;
  return row?.claimed === true;
}

/** Ends the claim, and puts the endpoint's next job into the queue with the same commit. */
export const releaseEndpoint = async (endpointId: string): Promise<void> =>
  void (await prisma().$queryRaw`SELECT events_release(${endpointId}, ${processId()})::text`);

/** Puts the job of each endpoint that has something to send into the queue. */
export const wakeEndpointJobs = async (endpoints: readonly string[]): Promise<void> =>
  void (await prisma().$queryRaw`SELECT events_wake(${endpoints})::text`);

/** Frees what a dead process served. */
export async function freeEndpointsOf(deadProcess: string): Promise<void> {
  const freed = await prisma().endpoint.updateManyAndReturn({
    where: { servedBy: deadProcess },
    data: { servedBy: null },
    select: { id: true },
  });
  if (freed.length > 0) await wakeEndpointJobs(freed.map(({ id }) => id));
}
