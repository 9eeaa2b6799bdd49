// Exponential backoff, 1 s to 1 h per payment, for payments past their deadline whose end no node shows. Each look costs many calls, and
// anybody can sign a payment that no node will ever show: without backoff it would be polled forever.

import { HOUR_MS, nowMs } from "@/lib/base/clock";
import { processSingleton } from "@/lib/base/process-singleton";
import type { PaymentClaim, PaymentId } from "../claims/claim";

interface Pause {
  untilMs: number;
  lengthMs: number;
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = HOUR_MS;

/** The payments that this process has looked for in vain, with their pauses. */
const pauses = processSingleton("payments that no node tells the end of", () => new Map<PaymentId, Pause>());

/**
 * Runs `look` unless the payment is paused. `look` returns true when the payment has ended; an error counts as not ended, and is thrown.
 */
export async function runWithBackoff({ id }: Pick<PaymentClaim, "id">, look: () => Promise<boolean>): Promise<void> {
  const pause = pauses().get(id);
  if (pause && nowMs() < pause.untilMs) return;
  const lengthMs = Math.min(MAX_PAUSE_MS, (pause?.lengthMs ?? FIRST_PAUSE_MS / 2) * 2);
  pauses().set(id, { untilMs: nowMs() + lengthMs, lengthMs });
  if (await look()) pauses().delete(id);
}
