// The payments' job: it finishes the payments that a crash or a client left, and settles for processes that have no relayer. Several
// processes may run it at once: each step of a claim is written once.

import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import { type Head, readHead } from "@/lib/chains/evm/head";
import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import { listen } from "@/lib/db/listen";
import { findRelayer } from "@/lib/relay/relayer";
import { getClaim, hasUnfinished } from "../claims/claim";
import { recordSeen } from "../claims/claim-steps";
import { PAYMENTS_CHANNEL } from "../settlement/delegate-settlement";
import { settleClaim } from "../settlement/settle";
import { followEnded } from "./follow-ended";
import { followOpen } from "./follow-open";

const subscription = processSingleton<{ stop: (() => Promise<void>) | null }>("notices of payments", () => ({ stop: null }));

/** One round, in a process with the relayer; from its first round on the process gets notices of claims from processes without one. */
async function run(): Promise<void> {
  if (!findRelayer()) return;
  const held = subscription();
  held.stop ??= (await listen(PAYMENTS_CHANNEL, { onMessage: (id) => void settleFor(id), onDown: () => {}, onUp: () => {} })).stop;
  if (!(await hasUnfinished())) return;
  const head = await believedHead();
  await followOpen(head);
  await followEnded(head);
}

async function end(): Promise<void> {
  const held = subscription();
  const { stop } = held;
  held.stop = null;
  await stop?.();
}

export const settlePayments = { run, end };

/** Settles a claim for a request that waits in a process without the relayer. */
async function settleFor(id: string): Promise<void> {
  try {
    const claim = await getClaim(id);
    const settled = await settleClaim(claim, config().PAYMENT_WAIT_MS);
    if (settled.kind === "paid") await recordSeen(claim.id, settled);
  } catch (error) {
    log().error({ err: error, payment: id }, "could not settle a payment for another process; retrying in the next round");
  }
}

/** Null while no node answers. */
async function believedHead(): Promise<Head | null> {
  if (evmNodeUrls().length === 0) return null;
  try {
    return await readHead();
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    return null;
  }
}
