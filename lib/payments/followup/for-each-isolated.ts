// A payment that can not be dealt with keeps no other from its end.

import { log } from "@/lib/base/observe/log";
import { isNodesFault } from "@/lib/relay/chain";
import type { PaymentClaim } from "../claims/claim";

const AT_ONCE = 8;

/** Does `work` for all claims, some at once. Where a node fails, or anything else goes wrong with a claim, the next round tries again. */
export async function forEachIsolated(claims: readonly PaymentClaim[], work: (claim: PaymentClaim) => Promise<void>): Promise<void> {
  for (let from = 0; from < claims.length; from += AT_ONCE) {
    await Promise.all(claims.slice(from, from + AT_ONCE).map((claim) => work(claim).catch((error: unknown) => logFailure(claim, error))));
  }
}

function logFailure({ id }: PaymentClaim, error: unknown): void {
  if (isNodesFault(error)) return;
  log().error({ err: error, payment: id }, "a payment could not be dealt with; it is tried again");
}
