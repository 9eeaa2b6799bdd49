// One payment that can not be dealt with keeps no other from its end.

import { log } from "@/lib/base/observe/log";
import { isNodesFault } from "@/lib/relay/chain";
import type { PaymentClaim } from "../claims/claim";

const AT_ONCE = 8;

/** Does `work` for all, some at once. What no node could tell, and what goes wrong with one, the next round tries again. */
export async function forEachIsolated(claims: readonly PaymentClaim[], work: (claim: PaymentClaim) => Promise<void>): Promise<void> {
  for (let from = 0; from < claims.length; from += AT_ONCE) {
    await Promise.all(claims.slice(from, from + AT_ONCE).map((claim) => work(claim).catch((error: unknown) => tell(claim, error))));
  }
}

function tell({ id }: PaymentClaim, error: unknown): void {
  if (isNodesFault(error)) return;
  log().error({ err: error, payment: id }, "a payment could not be dealt with; it is tried again");
}
