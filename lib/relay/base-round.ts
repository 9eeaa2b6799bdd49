// One round on Base, for each sender that has something under way: what is in a block is found, what left the chain is sent again,
// what is final ends, and what waits is pushed on.

import type { Hex } from "viem";
import { metrics } from "@/lib/base/observe/metrics";
import { type Head, readHead } from "@/lib/chains/evm/head";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { findReorganised, makeFinal } from "./base-mined";
import { checkSender } from "./base-sender";
import { findMined, type Patience, pushOn, readWaiting } from "./base-waiting";

/** @throws EvmFailure when no node answers; the next round does the rest */
export async function runBaseRound(senders: readonly Hex[], nodes: EvmNodes, patience: Patience): Promise<void> {
  const head = await readHead(nodes);
  let stopped = 0;
  for (const sender of senders) if (!(await runSender(sender, head, nodes, patience))) stopped += 1;
  metrics().relayStopped.set(stopped);
}

/** False while the sender stands still. */
async function runSender(sender: Hex, head: Head, nodes: EvmNodes, patience: Patience): Promise<boolean> {
  const { mined, fault } = await checkSender(sender, nodes);
  const waiting = await readWaiting(sender);
  await findMined(
    waiting.filter(({ nonce }) => nonce < mined.most),
    sender,
    nodes,
  );
  // Of a chain in doubt nothing is believed for good, and nothing is paid for.
  if (head.doubt !== null) return fault === null;
  await findReorganised(sender, head, nodes);
  await makeFinal(sender, head, nodes);
  if (fault !== null) return false;
  const open = (await readWaiting(sender)).filter(({ nonce }) => nonce >= mined.least);
  await pushOn(open, mined, nodes, patience);
  return true;
}
