// When nodes can prove that a transaction never ran: a node that lags, or has pruned the blocks of that period, gives the same answer as a
// node that knows.

import { z } from "zod";
import { refuseForgetful } from "./memo-search";
import { NodeFailure } from "./node-failure";
import type { SolanaNodes } from "./nodes";

/** The period in which a transaction could run. */
export interface RunTime {
  since: Date;
  until: Date;
}

/**
 * Resolves when every node has the whole period as final and has not pruned it: a transaction that none of them knows now did not run, and
 * can no longer run.
 * @throws SolanaUnavailable when any node does not, or does not answer
 */
export async function requireMemory(nodes: SolanaNodes, { since, until }: RunTime): Promise<void> {
  await nodes.callAll("getBlockTime", async (call) => {
    const slot = await call("getSlot", [{ commitment: "finalized" }], z.int().min(0));
    const time = await call("getBlockTime", [slot], z.int().nullable());
    if (time === null || time * 1_000 < until.getTime()) throw new NodeFailure("that time is not final yet", 0);
    await refuseForgetful(call, Math.floor(since.getTime() / 1_000));
  });
}
