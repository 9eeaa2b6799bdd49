// What the steps after a hold know of it.

import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import type { ChargeDetails } from "./commit-items";
import type { IdempotencyClaim } from "./idempotency";
import type { PaymentFacts } from "./pay/facts";

export interface Hold {
  requestId: RequestId;
  accountId: AccountId;
  keyId: KeyId | null;
  ceiling: NanoUsd;
  /** The spend row it counts in, when its key has a cap. */
  period: string | null;
  periodStart: Date | null;
  claim: IdempotencyClaim | null;
  paidBy: ChargeDetails["paidBy"];
}

export type PlacedHold =
  | { kind: "held"; hold: Hold; payment: PaymentFacts | null }
  /** The answer is there already, saved under this key. */
  | { kind: "replay"; accountId: AccountId; key: string };
