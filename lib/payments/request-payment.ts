// The payment that came with a request, for the receipt of the account whose key carried both.

import type { AccountId, KeyId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import type { ClaimState, PaymentId, PaymentScheme } from "./claim";

export interface RequestPayment {
  id: PaymentId;
  scheme: PaymentScheme;
  /** CAIP-2. */
  network: string;
  payer: string;
  nonce: string;
  amount: NanoUsd;
  /** That it came with; null of a caller that is signed in. */
  keyId: KeyId | null;
  state: ClaimState;
  /** Where the money was credited, and the request was charged. */
  creditedAccount: AccountId | null;
  transaction: string | null;
}

/** Null when the account has no such request, or it came without a payment; `requestId` may be any text. */
export async function findRequestPayment(accountId: AccountId, requestId: string): Promise<RequestPayment | null> {
  const { rows } = await pool().query<Omit<RequestPayment, "amount"> & { amount: bigint }>(
    `SELECT id, scheme, network, payer, nonce, amount, key_id AS "keyId", state, credited_account AS "creditedAccount", transaction
     FROM payment_claim WHERE account_id = $1 AND request_id = $2`,
    [accountId, requestId],
  );
  return rows[0] ? { ...rows[0], amount: nanoUsd(rows[0].amount) } : null;
}
