// One round on Base for each sender with transactions under way: it finds those in a block, resends those that left the chain, finishes
// final ones and pushes waiting ones on.

import type { Hex } from "viem";
import { metrics } from "@/lib/base/observe/metrics";
import { type Head, readHead } from "@/lib/chains/evm/head";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { finalize, findReorganised } from "./base-mined";
import { checkSender } from "./base-sender";
import { findMined, giveUpLost, listWaiting, type Patience, pushOn } from "./base-waiting";

/** @throws EvmFailure when no node answers; the next round does the rest */
export async function runBaseRound(senders: readonly Hex[], nodes: EvmNodes, patience: Patience): Promise<void> {
  const head = await readHead(nodes);
  let stopped = 0;
  for (const sender of senders) if (!(await runSender(sender, head, nodes, patience))) stopped += 1;
  metrics().relayStopped.set(stopped);
}

/** False while the sender is stopped. */
async function runSender(sender: Hex, head: Head, nodes: EvmNodes, patience: Patience): Promise<boolean> {
  const { mined, fault } = await checkSender(sender, nodes);
  const waiting = await listWaiting(sender);
  const missing = await findMined(
    waiting.filter(({ nonce }) => nonce < mined.max),
    nodes,
  );
  // While the chain is in doubt, nothing is recorded as final or lost, and no fee is spent.
  if (head.doubt !== null) return fault === null;
  await giveUpLost(missing, sender, nodes);
  await findReorganised(sender, head, nodes);
  await finalize(sender, head, nodes);
  if (fault !== null) return false;
  const open = (await listWaiting(sender)).filter(({ nonce }) => nonce >= mined.min);
  await pushOn(open, mined, nodes, patience);
  return true;
}
