// Finishes open claims that no request finishes: its process died, its client went, or a notice was lost. A stored transaction is followed
// and credited to its payer; a claim that was never sent is looked for once its time is over, and closed.

import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import type { Head } from "@/lib/chains/evm/head";
import { listUnfinished, type PaymentClaim } from "../claims/claim";
import { creditPayment, recordFailed, recordSeen } from "../claims/claim-steps";
import { isShown, settleClaim } from "../settlement/settle";
import type { SettledAt } from "../settlement/settlement-strategy";
import { settlementStrategies } from "../settlement/strategies";
import { runWithBackoff } from "./backoff";
import { isGone } from "./confirm-still-included";
import { isExpired } from "./expiry";
import { forEachPayment } from "./for-each-payment";

const MAX_A_ROUND = 500;
/** Beyond the time that any request waits. */
const GRACE_MS = 5_000;
/** Until then its own request settles it; after that its notice counts as lost. */
const NOTICE_LOST_AFTER_MS = 2_000;

/** @param head of Base; null while it is not known, and then nothing is closed there */
export async function followOpen(head: Head | null): Promise<void> {
  const waitedMs = config().PAYMENT_WAIT_MS + GRACE_MS;
  const claims = await listUnfinished(["claimed"], new Date(nowMs() - waitedMs), MAX_A_ROUND);
  await forEachPayment(claims, (claim) => follow(claim, nowMs() - claim.wantedAt.getTime(), { waitedMs, head }));
}

async function follow(claim: PaymentClaim, ageMs: number, { waitedMs, head }: { waitedMs: number; head: Head | null }): Promise<void> {
  const isWaitedFor = ageMs < waitedMs;
  if (!claim.isRelayed && !isWaitedFor) return closeUnsent(claim, head);
  if (ageMs < NOTICE_LOST_AFTER_MS) return;
  const settled = await settleClaim(claim, 0);
  if (settled.kind !== "paid") return;
  // The request waiting in another process credits it together with its hold.
  if (isWaitedFor) await recordSeen(claim.id, settled);
  else await creditLate(claim, settled);
}

/** Credits a payment that as many nodes show as must agree: it moved. */
export async function creditShown(claim: PaymentClaim, settled: SettledAt): Promise<boolean> {
  if (!(await isShown(claim, settled))) return false;
  await creditLate(claim, settled);
  return true;
}

async function creditLate(claim: PaymentClaim, settled: SettledAt): Promise<void> {
  const account = await creditPayment(claim, settled);
  metrics().payments.inc({ scheme: claim.scheme, outcome: "credited_late" });
  log().warn({ payment: claim.id, account, transaction: settled.transaction }, "credited a payment after its request had ended");
}

/**
 * Looks again for a claim whose time is over: credits a payment that moved after all, and calls `giveUp` for a payment that is gone for
 * good.
 */
export const creditOrEnd = (claim: PaymentClaim, head: Head | null, giveUp: () => Promise<unknown>): Promise<void> =>
  runWithBackoff(claim, async () => {
    const found = await settlementStrategies[claim.scheme].find(claim, "final");
    if (found) return creditShown(claim, found);
    if (await isGone(claim, head)) await giveUp();
    else return false;
    return true;
  });

/** We never sent it; somebody else may have, or we did before the database was restored from a backup. */
async function closeUnsent(claim: PaymentClaim, head: Head | null): Promise<void> {
  if (!isExpired(claim, head)) return;
  const expired = { reason: "expired", message: "It was not settled in time" } as const;
  await creditOrEnd(claim, head, () => recordFailed(claim, false, expired));
}
