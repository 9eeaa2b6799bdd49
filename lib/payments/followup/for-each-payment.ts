// Runs a round's work on many payments in parallel; a payment that fails does not stop the others. Failures of the nodes are reported by
// the nodes' own lists.

import { forEachIsolated } from "@/lib/base/for-each-isolated";
import { isOutage } from "@/lib/relay/chain";
import type { PaymentClaim } from "../claims/claim";

export const forEachPayment = (claims: readonly PaymentClaim[], work: (claim: PaymentClaim) => Promise<void>): Promise<void> =>
  forEachIsolated(claims, work, { what: "payment", atOnce: 8, isReported: isOutage });
