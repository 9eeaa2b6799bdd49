// The brake on fees paid for nothing: a transaction that moves nothing costs the operator its fee, and a wallet can have them made on
// purpose. How many of a payer's may be under way, and how many may have come to nothing, is decided in the database: payments_brake.

import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { fromUsdcUnits } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { pool } from "@/lib/db/pool";
import { inTransaction, type Transaction } from "@/lib/db/prisma";
import type { PaymentClaim } from "../claims/claim";
import type { Attempt } from "./settlement-strategy";

/** A key's payment burns some 90,000; a contract wallet may check its own with much more, and would have us pay for it. */
export const MAX_GAS = 1_000_000n;

export const takesTooMuchGas: Attempt = {
  kind: "refused",
  reason: "settlement_failed",
  message: "The wallet's own check of its signature takes too much gas",
};

type Verdict = "go" | "known" | "wait" | "payer_wastes" | "others_waste";

/** What keeps a payer's transaction from being tried out now; null when nothing does. Asked before the chain is, which costs more. */
export async function findBrake(claim: PaymentClaim): Promise<Attempt | null> {
  const { rows } = await pool().query<{ verdict: Verdict }>("SELECT verdict FROM payments_brake($1, $2, $3, $4)", [
    ...[claim.network, claim.payer, config().PAYMENT_WASTE_PER_HOUR, now()],
  ]);
  const [row] = rows;
  if (!row) throw new Error("The database decided nothing about a payer.");
  return row.verdict === "go" ? null : attemptOf(row.verdict, claim);
}

/** What a payer has, as its chain said after `at`; of a proof, no more than the contract may move. */
export interface Funds {
  units: bigint;
  at: Date;
}

/**
 * Stores an attempt's transaction in one commit with the note that it is, once, however many try it at once, and no more of them than
 * their payer can pay. `store`: the relay's `storeCall` or `storeSigned`.
 */
export async function storeAttempt(
  claim: PaymentClaim,
  { units, at }: Funds,
  store: (transaction: Transaction) => Promise<unknown>,
): Promise<Attempt> {
  const verdict = await inTransaction(async (transaction) => {
    const { rows } = await transaction.query<{ verdict: Verdict }>("SELECT payments_note_stored($1, $2, $3, $4, $5, $6) AS verdict", [
      ...[claim.id, claim.attempt, bookable(units), at, config().PAYMENT_WASTE_PER_HOUR, now()],
    ]);
    const [row] = rows;
    if (!row) throw new Error("The database decided nothing about a payment's transaction.");
    if (row.verdict === "go") await store(transaction);
    return row.verdict;
  });
  return attemptOf(verdict, claim);
}

/** nano-USD; what no wallet has can not be written down. */
const MAX_FUNDS = 2n ** 62n;
const bookable = (units: bigint): bigint => (units > MAX_FUNDS / fromUsdcUnits(1n) ? MAX_FUNDS : fromUsdcUnits(units));

function attemptOf(verdict: Verdict, { id, scheme, payer }: PaymentClaim): Attempt {
  if (verdict === "go" || verdict === "known") return { kind: "stored" };
  if (verdict === "wait") return { kind: "unknown" };
  metrics().paymentsBraked.inc({ scheme, reason: verdict });
  log().warn({ payment: id, payer, reason: verdict }, "a payment was refused: too many transactions moved nothing, and each cost its fee");
  return { kind: "refused", reason: "settlement_failed", message: messages[verdict] };
}

const messages = {
  payer_wastes:
    "Three payments of this wallet came into a block within the last hour and moved nothing, each at our cost; it may pay again an hour after the first",
  others_waste:
    "Too many payments of wallets that never paid here moved nothing within the last hour, each at our cost; a wallet's first payment is taken again later",
} as const;

/** Forgets what no brake asks about any more. A job runs it. @returns how many */
export async function forgetWaste(): Promise<bigint> {
  const { rows } = await pool().query<{ forgotten: bigint }>("SELECT payments_forget_waste($1) AS forgotten", [now()]);
  return rows[0]?.forgotten ?? 0n;
}
