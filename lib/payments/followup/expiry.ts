// A payment expires once the finalized head is past its deadline: no node can include it any more.

import { nowMs } from "@/lib/base/clock";
import type { Head } from "@/lib/chains/evm/head";
import type { PaymentClaim } from "../claims/claim";

/** Solana is final long before this. */
const AFTER_ON_SOLANA_MS = 300_000;

/** @param head of Base; null while it is not known */
export function isExpired({ scheme, validUntil }: PaymentClaim, head: Head | null): boolean {
  if (scheme === "exact_svm") return nowMs() >= validUntil.getTime() + AFTER_ON_SOLANA_MS;
  return head !== null && head.doubt === null && head.finalized.timestampS * 1_000 >= validUntil.getTime();
}
