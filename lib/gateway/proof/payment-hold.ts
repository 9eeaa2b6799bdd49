// The database side of a payment: whether it may be taken, and the commit that credits it and holds its request's ceiling.

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { processId } from "@/lib/db/heartbeat";
import { pool } from "@/lib/db/pool";
import { prisma } from "@/lib/db/prisma";
import { readHoldDecision } from "@/lib/ledger/commit/codec";
import { holdDeadline } from "@/lib/ledger/commit/commit";
import type { HoldDecision, HoldRefusal } from "@/lib/ledger/holds";
import type { PaymentId } from "@/lib/payments/claims/claim";
import type { SettledAt } from "@/lib/payments/settlement/settlement-strategy";
import type { Caller } from "../http/caller";
import type { GatewayRequest } from "../http/request";
import type { Quote } from "../prompt/quote";

export type PaymentCheck = { outcome: "payable" } | HoldRefusal;

/** Whether a proof of this EVM wallet may be taken, before anything moves. */
export async function checkPayment(caller: Caller, payer: string, { ceiling }: Quote): Promise<PaymentCheck> {
  const { accountId, keyId } = caller;
  // A key's limits are decided in SQL, where holds are placed.
  const rows = await prisma().$queryRaw<{ decision: string }[]>`
    SELECT gateway_check_payment(${accountId}, ${keyId}, 'evm', ${payer}, ${ceiling}::bigint, ${now()}::timestamptz) AS decision`;
  const { decision } = only(rows);
  if (decision === "payable") return { outcome: decision };
  const refused = readHoldDecision(decision);
  if (refused.outcome === "held") throw new Error("A payment was checked as held.");
  return refused;
}

interface PaidRequest {
  payment: PaymentId;
  request: GatewayRequest;
  /** Null where no key is needed. */
  caller: Caller | null;
  quote: Quote;
  bodyHash: Buffer;
}

export type PaymentHoldDecision = HoldDecision & { creditedAccount: AccountId };

interface PaymentRow {
  credited: AccountId | null;
  decision: string | null;
}

/** Credits a payment and holds its request's ceiling, in one commit. It is credited even when the hold is refused. */
export async function creditAndHold(paid: PaidRequest, { transaction, block }: SettledAt): Promise<PaymentHoldDecision> {
  const { rows } = await pool().query<PaymentRow>("SELECT * FROM gateway_pay_and_hold($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)", [
    ...[paid.payment, transaction, block],
    ...holdValues(paid),
  ]);
  const decision = readPaymentDecision(only(rows));
  if (!decision) throw new Error("A payment was credited to nobody.");
  return decision;
}

/** Holds the ceiling from the payer's existing credit; null, with nothing changed, when the credit is not enough. */
export async function coverAndHold(paid: PaidRequest): Promise<PaymentHoldDecision | null> {
  const { rows } = await pool().query<PaymentRow>("SELECT * FROM gateway_cover_and_hold($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", [
    ...[paid.payment, ...holdValues(paid)],
  ]);
  return readPaymentDecision(only(rows));
}

function holdValues({ request, caller, quote, bodyHash }: PaidRequest): unknown[] {
  const at = now();
  const of = [request.id, caller?.accountId ?? null, caller?.keyId ?? null, quote.model.id, quote.ceiling, bodyHash];
  return [...of, processId(), at, holdDeadline(at)];
}

const readPaymentDecision = ({ credited, decision }: PaymentRow): PaymentHoldDecision | null =>
  credited === null || decision === null ? null : { ...readHoldDecision(decision), creditedAccount: credited };

function only<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error("The database decided nothing about a payment.");
  return row;
}
