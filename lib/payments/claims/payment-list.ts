// Payments as their payer sees them: those that came with a key of the account, and those that its wallets paid.

import type { AccountId, RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import type { Wallet } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import type { ClaimState, PaymentId, PaymentScheme, SettleFailure } from "./claim";
import { networkOf } from "./networks";

export interface ListedPayment {
  id: PaymentId;
  scheme: PaymentScheme;
  /** CAIP-2. */
  network: string;
  payer: string;
  amount: NanoUsd;
  state: ClaimState;
  failure: SettleFailure | null;
  /** Where the money was credited; of a covered one, the credit that it was taken from. */
  creditedAccount: AccountId | null;
  transaction: string | null;
  /** Nothing can undo it. */
  isFinal: boolean;
  /** The last request that was held from it. */
  requestId: RequestId | null;
  claimedAt: Date;
}

interface PaymentPage {
  limit: number;
  /** The last payment of the page before. */
  after?: Pick<ListedPayment, "claimedAt" | "id">;
}

/** Newest first. `wallets` are those that the account has proved. */
export async function listPayments(
  accountId: AccountId,
  wallets: readonly Wallet[],
  { limit, after }: PaymentPage,
): Promise<ListedPayment[]> {
  const { rows } = await pool().query<Omit<ListedPayment, "amount"> & { amount: bigint }>(
    `SELECT id, scheme, network, payer, amount, state, failure, credited_account AS "creditedAccount", transaction,
       finalized AS "isFinal", request_id AS "requestId", claimed_at AS "claimedAt"
     FROM payment_claim
     WHERE (account_id = $1 OR (network, payer) IN (SELECT * FROM unnest($2::text[], $3::text[])))
       AND ($4::timestamptz IS NULL OR (claimed_at, id) < ($4, $5))
     ORDER BY claimed_at DESC, id DESC LIMIT $6`,
    [
      ...[accountId, wallets.map(({ chain }) => networkOf(chain)), wallets.map(({ address }) => address)],
      ...[after?.claimedAt ?? null, after?.id ?? null, limit],
    ],
  );
  return rows.map((row) => ({ ...row, amount: nanoUsd(row.amount) }));
}
