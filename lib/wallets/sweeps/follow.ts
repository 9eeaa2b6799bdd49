// What became of sweeps that were sent: done once their block is final, signed anew once they can never move anything.

import { prisma } from "@/lib/db/prisma";
import { findRelayed } from "@/lib/relay/relayed";
import { endSweeps, retrySweeps, type SweepChain } from "./sweep";

/** One look at all sweeps of `chain` that are on their way. */
export async function followSweeps(chain: SweepChain): Promise<void> {
  const sent = await prisma().sweep.findMany({ where: { chain, state: "relayed" }, select: { id: true, relayedId: true } });
  if (sent.length === 0) return;
  const sweepsOf = new Map<string, string[]>();
  for (const { id, relayedId } of sent) if (relayedId !== null) sweepsOf.set(relayedId, [...(sweepsOf.get(relayedId) ?? []), id]);
  for (const { id, state, isFinal, block } of await findRelayed([...sweepsOf.keys()])) {
    if (!isFinal) continue;
    if (state === "succeeded" && block !== null) await endSweeps(chain, sweepsOf.get(id) ?? [], block);
    if (state === "failed" || state === "lost") await retrySweeps(id, state);
  }
}
