// Follows sent sweeps: done once their block is final, signed again once their transaction can no longer move anything.

import { prisma } from "@/lib/db/prisma";
import { findRelayed } from "@/lib/relay/relayed";
import { endSweeps, retrySweeps, type SweepChain } from "./sweep";

/** Checks all sent sweeps of `chain` once. */
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
