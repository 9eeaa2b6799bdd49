// The sweep job: one round on each chain with known nodes. Every step is atomic in the database, so the next process continues from there;
// the next round retries failed node calls.

import { type ChainId, chainIds } from "@/lib/base/chains";
import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { prisma } from "@/lib/db/prisma";
import { isOutage, type RelayNodes } from "@/lib/relay/chain";
import { findRelayed } from "@/lib/relay/relayed";
import { readPayoutDemand } from "../withdrawals/treasury-funds";
import { sendDueOnBase } from "./base-sweeps";
import { planFor, planSweeps } from "./plan";
import { sendDueOnSolana } from "./solana-sweeps";
import { endSweeps, measureSweeps, retrySweeps } from "./sweep";

const NANO_PER_UNIT = 1_000n;

/** One round on both chains. Several processes may run it concurrently: only one of them signs each sweep. */
export async function runSweeps(): Promise<void> {
  for (const chain of chainIds) if (hasNodes(chain)) await runSweepsOn(chain);
}

/** False before a sandbox's own chains have started. */
const hasNodes = (chain: ChainId): boolean => (chain === "base" ? evmNodeUrls() : solanaCluster().urls).length > 0;

/** One round on one chain, at its own nodes by default. */
export async function runSweepsOn(chain: ChainId, nodes: RelayNodes = {}): Promise<void> {
  await followSweeps(chain);
  await untilOutage(async () => {
    await planSweeps(chain, nodes);
    await planFor(chain, (await readPayoutDemand(chain)) / NANO_PER_UNIT, nodes);
    await sendDue(chain, nodes);
  });
  await measureSweeps(chain);
}

const sendDue = (chain: ChainId, nodes: RelayNodes): Promise<void> => (chain === "base" ? sendDueOnBase(nodes) : sendDueOnSolana(nodes));

/** Nodes that do not answer, and a signer that does not, are logged where they are called. */
async function untilOutage(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isOutage(error)) throw error;
  }
}

/** A sent sweep is done once its block is final, and signed again once its transaction can no longer move anything. */
async function followSweeps(chain: ChainId): Promise<void> {
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
