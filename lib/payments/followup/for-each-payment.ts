// What a round does with many payments: some at once, and one that cannot be dealt with keeps no other from its end. What no node
// could tell is reported by the nodes' own lists.

import { forEachIsolated } from "@/lib/base/for-each-isolated";
import { isNodesFault } from "@/lib/relay/chain";
import type { PaymentClaim } from "../claims/claim";

export const forEachPayment = (claims: readonly PaymentClaim[], work: (claim: PaymentClaim) => Promise<void>): Promise<void> =>
  forEachIsolated(claims, work, { what: "payment", atOnce: 8, isReported: isNodesFault });
