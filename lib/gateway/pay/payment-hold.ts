// What is asked of the books for a payment: whether it may be taken, and the commit that credits and holds it.

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { pool, type Transaction } from "@/lib/db/pool";
import type { PaymentId } from "@/lib/payments/claim";
import type { SettledAt } from "@/lib/payments/settle-way";
import type { Caller } from "../caller";
import { holdDeadline } from "../commit-batch";
import type { CommitRow } from "../commit-statements";
import { releaseHoldsAhead } from "../hold-ahead";
import { type HoldDecision, type HoldRefusal, readDecision } from "../hold-batch";
import type { Quote } from "../quote";
import type { GatewayRequest } from "../request";

export type PaymentCheck = { outcome: "payable" } | { outcome: "payer_mismatch" } | HoldRefusal;

/** Whether a proof of this EVM wallet may be taken, before anything moves. */
export async function checkPayment(caller: Caller, payer: string, { ceiling }: Quote): Promise<PaymentCheck> {
  await freeCap(caller);
  const { accountId, keyId } = caller;
  const { rows } = await pool().query<CommitRow>("SELECT * FROM gateway_check_payment($1, $2, 'evm', $3, $4, $5)", [
    ...[accountId, keyId, payer, ceiling, now()],
  ]);
  const row = only(rows);
  if (row.outcome === "payable" || row.outcome === "payer_mismatch") return { outcome: row.outcome };
  const decision = readDecision(row);
  if (decision.outcome === "held" || decision.outcome === "replay") throw new Error(`A payment was checked as ${decision.outcome}.`);
  return decision;
}

/** A payment counts in its key's cap, where what lies ahead would stand in its way: while it is checked, and once it has been on its way. */
async function freeCap(caller: Caller | null): Promise<void> {
  if (caller) await releaseHoldsAhead(caller.accountId);
}

/** Keeps an Idempotency-Key for payments; false when a request has it that the balance paid for. */
export async function markIdempotencyKey(
  accountId: AccountId,
  key: string,
  request: GatewayRequest,
  commit: Transaction,
): Promise<boolean> {
  const { rows } = await commit.query<{ isFree: boolean }>('SELECT gateway_mark_key($1, $2, $3, $4) AS "isFree"', [
    ...[accountId, key, request.id, now()],
  ]);
  return only(rows).isFree;
}

/** Gives that back when the request's payment came to nothing, for the next one to use. */
export async function freeIdempotencyKey(accountId: AccountId, key: string, request: GatewayRequest): Promise<void> {
  await pool().query("SELECT gateway_free_key($1, $2, $3, $4)", [accountId, key, request.id, now()]);
}

interface PaidRequest {
  payment: PaymentId;
  request: GatewayRequest;
  /** Null where nobody needs a key. */
  caller: Caller | null;
  quote: Quote;
  bodyHash: Buffer;
}

export type PaymentHoldDecision = (HoldDecision | { outcome: "served" }) & { creditedAccount: AccountId };

type PaymentRow = CommitRow & { credited: AccountId | null };

/** Credits a payment and holds its request's ceiling, in one commit. It is credited whatever becomes of the hold. */
export async function creditAndHold(paid: PaidRequest, { transaction, block }: SettledAt): Promise<PaymentHoldDecision> {
  await freeCap(paid.caller);
  const { rows } = await pool().query<PaymentRow>("SELECT * FROM gateway_pay_and_hold($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", [
    ...[paid.payment, transaction, block],
    ...holdValues(paid),
  ]);
  return decisionOf(only(rows));
}

/** Holds the ceiling from the credit that the payer has already; null, and nothing is changed, when that does not do. */
export async function coverAndHold(paid: PaidRequest): Promise<PaymentHoldDecision | null> {
  await freeCap(paid.caller);
  const { rows } = await pool().query<PaymentRow>("SELECT * FROM gateway_cover_and_hold($1, $2, $3, $4, $5, $6, $7, $8)", [
    ...[paid.payment, ...holdValues(paid)],
  ]);
  const row = only(rows);
  return row.outcome === "uncovered" ? null : decisionOf(row);
}

function holdValues({ request, caller, quote, bodyHash }: PaidRequest): unknown[] {
  const at = now();
  return [request.id, caller?.accountId ?? null, caller?.keyId ?? null, quote.ceiling, bodyHash, at, holdDeadline(at)];
}

function decisionOf(row: PaymentRow): PaymentHoldDecision {
  if (row.credited === null) throw new Error("A payment was credited to nobody.");
  const decision: HoldDecision | { outcome: "served" } = row.outcome === "served" ? { outcome: "served" } : readDecision(row);
  return { ...decision, creditedAccount: row.credited };
}

function only<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error("The database decided nothing about a payment.");
  return row;
}
