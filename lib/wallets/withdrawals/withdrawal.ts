// Withdrawals as they are stored, and as their owner and the operator see them.

import type { AccountId, WithdrawalId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import type { WalletChain } from "@/lib/chains/wallet";
import { pool, type Queryable } from "@/lib/db/pool";
import type { Order, SignedOrder } from "./order";

/**
 * awaiting_approval (by the operator) → approved → signed (bytes are stored, nothing can stop it) → sent → confirmed (in a block)
 * → final. Or over, with the money back: cancelled by its owner, refused by the operator, failed on its chain or too late.
 */
export type WithdrawalState =
  | "awaiting_approval"
  | "approved"
  | "signed"
  | "sent"
  | "confirmed"
  | "final"
  | "cancelled"
  | "refused"
  | "failed";

/**
 * Why an approved withdrawal is not signed yet: the treasury has too little on that chain; the chain is not to be asked, or would
 * not take it; payouts are stopped; the account is frozen; the signer paid as much as it may in a day; the signer does not find the order's signature.
 */
export type WaitsFor = "funds" | "chain" | "reserves" | "frozen" | "limit" | "signature";

export interface Withdrawal extends Order {
  id: WithdrawalId;
  state: WithdrawalState;
  waitsFor: WaitsFor | null;
  /** On its chain, as far as one was made. */
  transaction: string | null;
  /** Why it was refused, or failed. */
  reason: string | null;
  requestedAt: Date;
  signedAt: Date | null;
  confirmedAt: Date | null;
  endedAt: Date | null;
}

/** As the payout sees it. */
export interface OpenWithdrawal extends Withdrawal, SignedOrder {
  /** How often a payout of it was signed. */
  attempt: number;
  /** On Base: from then on the last attempt counts for nothing. */
  validBefore: Date | null;
}

interface Row extends Omit<OpenWithdrawal, "amount" | "fee" | "signer"> {
  amount: bigint;
  fee: bigint;
  signerChain: WalletChain;
  signerAddress: string;
}

const columns = `id, account_id AS "accountId", chain, destination, amount, fee, opens_account AS "opensAccount", nonce,
  issued_at AS "issuedAt", valid_until AS "validUntil", signer_chain AS "signerChain", signer_address AS "signerAddress", signature,
  state, attempt, valid_before AS "validBefore", waits_for AS "waitsFor", transaction, reason, requested_at AS "requestedAt",
  signed_at AS "signedAt", confirmed_at AS "confirmedAt", ended_at AS "endedAt"`;

const read = ({ amount, fee, signerChain, signerAddress, ...row }: Row): OpenWithdrawal => ({
  ...row,
  amount: nanoUsd(amount),
  fee: nanoUsd(fee),
  signer: { chain: signerChain, address: signerAddress },
});

interface WithdrawalPage {
  limit: number;
  /** The last withdrawal of the page before. */
  after?: Pick<Withdrawal, "requestedAt" | "id">;
}

/** The account's withdrawals, newest first. */
export async function listWithdrawals(accountId: AccountId, { limit, after }: WithdrawalPage): Promise<Withdrawal[]> {
  const { rows } = await pool().query<Row>(
    `SELECT ${columns} FROM withdrawal WHERE account_id = $1 AND ($2::timestamptz IS NULL OR (requested_at, id) < ($2, $3))
     ORDER BY requested_at DESC, id DESC LIMIT $4`,
    [accountId, after?.requestedAt ?? null, after?.id ?? null, limit],
  );
  return rows.map(read);
}

/** In any of these states, of all accounts, the oldest first. */
export async function listWithdrawalsIn(states: readonly WithdrawalState[], limit: number): Promise<OpenWithdrawal[]> {
  const { rows } = await pool().query<Row>(`SELECT ${columns} FROM withdrawal WHERE state = ANY ($1) ORDER BY requested_at, id LIMIT $2`, [
    states,
    limit,
  ]);
  return rows.map(read);
}

export async function findWithdrawal(id: WithdrawalId, database: Queryable = pool()): Promise<OpenWithdrawal | null> {
  const { rows } = await database.query<Row>(`SELECT ${columns} FROM withdrawal WHERE id = $1`, [id]);
  const [row] = rows;
  return row ? read(row) : null;
}

/** How many are open, by state, or by what an approved one waits for. */
export async function countOpenWithdrawals(): Promise<ReadonlyMap<WithdrawalState | WaitsFor, number>> {
  const { rows } = await pool().query<{ state: WithdrawalState | WaitsFor; count: number }>(
    "SELECT coalesce(waits_for, state) AS state, count(*)::integer AS count FROM withdrawal WHERE wallets_is_open(state) GROUP BY 1",
  );
  return new Map(rows.map(({ state, count }) => [state, count]));
}
