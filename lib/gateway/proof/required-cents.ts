// The minimum amount of a proof for a request: whole cents, the unit that proofs are signed in.

import { config } from "@/lib/base/config";
import { fromCents } from "@/lib/base/money";
import type { Quote } from "../prompt/quote";

const CENT = fromCents(1);

/** USDC cents: the request's ceiling, rounded up, and at least the operator's minimum. */
export function requiredCents({ ceiling }: Quote): bigint {
  const cents = (ceiling + CENT - 1n) / CENT;
  const minimum = BigInt(config().PAYMENT_MINIMUM_CENTS);
  return cents > minimum ? cents : minimum;
}
