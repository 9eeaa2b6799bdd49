// What a round does with many payments: some at once, and one that cannot be dealt with keeps no other from its end. What no node
// could tell is reported by the nodes' own lists.

import { forEachIsolated as forEach } from "@/lib/base/for-each-isolated";
import { isNodesFault } from "@/lib/relay/chain";
import type { PaymentClaim } from "../claims/claim";

export const forEachIsolated = (claims: readonly PaymentClaim[], work: (claim: PaymentClaim) => Promise<void>): Promise<void> =>
  forEach(claims, work, { what: "payment", atOnce: 8, isReported: isNodesFault });
