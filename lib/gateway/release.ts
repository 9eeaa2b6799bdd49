// A hold that ends without a charge: its money and its idempotency key are free again.

import { ZERO_USD } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import type { SettleItem } from "./commit-items";
import type { Hold } from "./placed-hold";
import { submitSettlement } from "./settle-batch";

/** What ends a hold, as long as nothing is charged. */
export function endOf(hold: Hold): SettleItem {
  return {
    request: hold.requestId,
    account: hold.accountId,
    key: hold.keyId,
    period: hold.period,
    periodStart: hold.periodStart,
    ceiling: hold.ceiling,
    inputCost: ZERO_USD,
    outputCost: ZERO_USD,
    charge: null,
    idempotency: hold.claim?.key,
  };
}

/** Frees a hold, durably before it resolves; what cannot be freed now is the reaper's at its deadline. */
export async function releaseHold(hold: Hold): Promise<void> {
  try {
    await submitSettlement(endOf(hold));
  } catch (error) {
    // The caller's own error must not be hidden behind this one.
    log().error({ err: error, requestId: hold.requestId }, "releasing a hold failed");
  }
}
