// Settles in a process without the relayer: it notifies a process that has one, which writes the outcome into the claim.

import { setTimeout as sleep } from "node:timers/promises";
import { notify } from "@/lib/db/prisma";
import { getClaim, type PaymentClaim } from "../claims/claim";
import { type Settled, settledAs } from "./outcome";

/** The channel on which processes with the relayer are notified of claims. */
export const PAYMENTS_CHANNEL = "payments";

const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 100;
/** A notice is lost when no process is listening. */
const NOTIFY_EVERY_MS = 1_000;

/** Waits until `run.untilMs`, which another caller may extend. */
export async function delegateSettlement({ id }: PaymentClaim, run: { readonly untilMs: number }): Promise<Settled> {
  let notifiedMs = -Infinity;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    if (performance.now() - notifiedMs >= NOTIFY_EVERY_MS) {
      await notify(PAYMENTS_CHANNEL, id);
      notifiedMs = performance.now();
    }
    const claim = await getClaim(id);
    const settled = settledAs(claim) ?? seenAs(claim);
    const leftMs = run.untilMs - performance.now();
    if (settled !== null) return settled;
    if (leftMs <= 0) return { kind: "pending" };
    await sleep(Math.min(pauseMs, leftMs));
  }
}

/** It is on its chain; the waiting request credits it together with its hold. */
const seenAs = ({ transaction, block }: PaymentClaim): Settled | null =>
  transaction !== null && block !== null ? { kind: "paid", transaction, block } : null;
