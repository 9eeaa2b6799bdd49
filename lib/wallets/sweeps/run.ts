// The sweep job: one round on each chain with known nodes. Every step is atomic in the database, so the next process continues from there;
// the next round retries failed node calls.

import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { isOutage, type RelayNodes } from "@/lib/relay/chain";
import { readPayoutDemand } from "../withdrawals/treasury-funds";
import { sendDueOnBase } from "./base-sweeps";
import { followSweeps } from "./follow";
import { planFor, planSweeps } from "./plan";
import { sendDueOnSolana } from "./solana-sweeps";
import { measureSweeps, type SweepChain } from "./sweep";

const NANO_PER_UNIT = 1_000n;

/** One round on both chains. Several processes may run it concurrently: only one of them signs each sweep. */
export async function runSweeps(): Promise<void> {
  for (const chain of ["base", "solana"] as const) if (hasNodes(chain)) await runSweepsOn(chain);
}

/** False before a sandbox's own chains have started. */
const hasNodes = (chain: SweepChain): boolean => (chain === "base" ? evmNodeUrls() : solanaCluster().urls).length > 0;

/** One round on one chain, at its own nodes by default. */
export async function runSweepsOn(chain: SweepChain, nodes: RelayNodes = {}): Promise<void> {
  await followSweeps(chain);
  await untilOutage(async () => {
    await planSweeps(chain, nodes);
    await planFor(chain, (await readPayoutDemand(chain)) / NANO_PER_UNIT, nodes);
    await sendDue(chain, nodes);
  });
  await measureSweeps(chain);
}

const sendDue = (chain: SweepChain, nodes: RelayNodes): Promise<void> => (chain === "base" ? sendDueOnBase(nodes) : sendDueOnSolana(nodes));

/** Nodes that do not answer, and a signer that does not, are logged where they are called. */
async function untilOutage(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isOutage(error)) throw error;
  }
}
