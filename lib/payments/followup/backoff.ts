// Payments that are over and that no node tells the end of. Each look costs many calls, and anybody can sign what no node will tell of:
// the longer it lasts, the seldomer it is asked for.

import { nowMs } from "@/lib/base/clock";
import { once } from "@/lib/base/process-singleton";
import type { PaymentClaim, PaymentId } from "../claims/claim";

interface Pause {
  untilMs: number;
  lengthMs: number;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** What this process has asked for in vain. */
const pauses = () => once("payments that no node tells the end of", () => new Map<PaymentId, Pause>());

/** Asks, unless it is too early for it. `ask` is true when it came to an end; what it throws counts as none, and is thrown. */
export async function askWithBackoff({ id }: Pick<PaymentClaim, "id">, ask: () => Promise<boolean>): Promise<void> {
  const pause = pauses().get(id);
  if (pause && nowMs() < pause.untilMs) return;
  const lengthMs = Math.min(LONGEST_PAUSE_MS, (pause?.lengthMs ?? FIRST_PAUSE_MS / 2) * 2);
  pauses().set(id, { untilMs: nowMs() + lengthMs, lengthMs });
  if (await ask()) pauses().delete(id);
}
