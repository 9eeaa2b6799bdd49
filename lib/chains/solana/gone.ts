// When nodes may say of a transaction that it never ran: a node that has not come so far, or that has forgotten the blocks of that time,
// answers just the same as one that knows.

import { z } from "zod";
import { refuseForgetful } from "./memo-search";
import { NodeFailure } from "./node-failure";
import type { SolanaNodes } from "./nodes";

/** A time in which a transaction could run. */
export interface RunTime {
  since: Date;
  until: Date;
}

/**
 * Resolves when every node has the whole of that time as final, and remembers it: what none of them knows when it is asked now did not
 * run, and can not run any more.
 * @throws SolanaUnavailable when any does not, or is silent
 */
export async function requireMemory(nodes: SolanaNodes, { since, until }: RunTime): Promise<void> {
  await nodes.callAll("getBlockTime", async (call) => {
    const slot = await call("getSlot", [{ commitment: "finalized" }], z.int().min(0));
    const time = await call("getBlockTime", [slot], z.int().nullable());
    if (time === null || time * 1_000 < until.getTime()) throw new NodeFailure("that time is not final yet", 0);
    await refuseForgetful(call, Math.floor(since.getTime() / 1_000));
  });
}
