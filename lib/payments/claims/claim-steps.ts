// The steps of a claim after it was taken, each written once: a step names the state that it leaves, and changes nothing in any other. A
// step that moves money is one call of the database, which changes the claim and the books in one commit.

import { DAY_MS, dateOf, now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import type { SettleFailure } from "@/lib/chains/payment-failure";
import { inTransaction, prisma } from "@/lib/db/prisma";
import { findReceipt } from "@/lib/ledger/receipt";
import { freeStates, getClaim, hiddenColumns, type PaymentClaim, type PaymentId, readClaim } from "./claim";

interface Failure {
  reason: SettleFailure;
  message?: string | undefined;
  /** Its transaction is in a block and cost its fee, and its payer is to blame. */
  isFailedTransaction?: boolean;
}

type FailedAttempt = Pick<PaymentClaim, "id" | "attempt" | "scheme" | "network" | "payer">;

/**
 * Records that an attempt moved nothing and no longer can. `wasRelayed` false: its transaction was never stored. False when the claim has
 * taken another step by now.
 */
export async function recordFailed(claim: FailedAttempt, wasRelayed: boolean, failure: Failure): Promise<boolean> {
  const { id, attempt, scheme, network, payer } = claim;
  const { reason, message, isFailedTransaction = false } = failure;
  const step = {
    where: { id, attempt, state: "claimed", relayed: wasRelayed },
    data: {
      state: "failed",
      failure: reason,
      failureMessage: message ?? null,
      transaction: null,
      block: null,
      // A reorganisation may include an ineffective transaction, of this attempt or an earlier one, in another block, with effect. A
      // payment that others can submit too is looked for once its time is over.
      finalized: !wasRelayed && scheme === "proof" && attempt === 1,
    },
  };
  if (!isFailedTransaction) return (await prisma().paymentClaim.updateMany(step)).count > 0;
  // Both or neither: each lost fee counts against its payer exactly once.
  return inTransaction(async (transaction) => {
    const [failed] = await transaction.paymentClaim.updateManyAndReturn({ ...step, select: { onTrust: true } });
    if (!failed) return false;
    const data = { claimId: id, attempt, network, payer, onTrust: failed.onTrust, at: now() };
    await transaction.failedTransaction.create({ data, select: { claimId: true } });
    return true;
  });
}

/** The transaction that moved a payment's money. */
interface PaidIn {
  transaction: string;
  /** On Solana: the slot. */
  block: number;
}

/** Records that its chain shows a payment, before it is credited: a request waiting in another process finds it there. */
export async function recordSeen(id: PaymentId, { transaction, block }: PaidIn): Promise<void> {
  const isNews = [{ transaction: null }, { transaction: { not: transaction } }, { block: null }, { block: { not: block } }];
  await prisma().paymentClaim.updateMany({ where: { id, state: "claimed", OR: isNews }, data: { transaction, block } });
}

/** Closes a claim that moved nothing and no longer can. */
export async function recordOver({ id, attempt }: Pick<PaymentClaim, "id" | "attempt">): Promise<void> {
  await prisma().paymentClaim.updateMany({
    where: { id, attempt, state: { in: ["covered", ...freeStates] } },
    data: { finalized: true },
  });
}

/** Reopens a covered claim that no request was charged from, so that it may be submitted. */
export async function uncover({ id }: Pick<PaymentClaim, "id">): Promise<PaymentClaim> {
  const claim = await getClaim(id);
  const { state, creditedAccount, requestId } = claim;
  if (state !== "covered" || (await isCharged(claim))) return claim;
  // If another request was held from it since, that request would be charged and the payment submitted too.
  const [row] = await prisma().paymentClaim.updateManyAndReturn({
    where: { id, state, creditedAccount, requestId },
    data: { state: "claimed", creditedAccount: null },
    omit: hiddenColumns,
  });
  return row ? readClaim(row) : getClaim(id);
}

async function isCharged({ creditedAccount, requestId }: PaymentClaim): Promise<boolean> {
  if (creditedAccount === null || requestId === null) return false;
  return (await findReceipt(creditedAccount, requestId))?.state === "charged";
}

/** Credits a payment that its chain shows, once, without a hold: a request instead credits and holds in one commit. */
export async function creditPayment({ id }: Pick<PaymentClaim, "id">, { transaction, block }: PaidIn): Promise<AccountId> {
  const [row] = await prisma().$queryRaw<{ account: AccountId }[]>`
    SELECT payments_credit(${id}, ${transaction}, ${block}::integer, ${now()}::timestamptz) AS account`;
  if (!row) throw new Error(`The payment ${id} was not credited.`);
  return row.account;
}

/** Records the block of a credited payment's transaction, and whether it is final: only from then on may its money leave. */
export async function recordBlock({ id }: Pick<PaymentClaim, "id">, { transaction, block }: PaidIn, isFinal: boolean): Promise<void> {
  await prisma().$executeRaw`SELECT payments_record_block(${id}, ${transaction}, ${block}::integer, ${isFinal}::boolean)`;
}

/**
 * Takes back a credit whose transaction is not on its chain and can never be included again.
 * @returns the part that was spent, which the operator bears; null when there is nothing to take back
 */
export async function reversePayment({ id }: Pick<PaymentClaim, "id">): Promise<NanoUsd | null> {
  const [row] = await prisma().$queryRaw<{ lost: bigint | null }[]>`SELECT payments_reverse(${id}, ${now()}::timestamptz) AS lost`;
  const lost = row?.lost ?? null;
  return lost === null ? null : nanoUsd(lost);
}

const MAX_DELETED = 10_000;

/**
 * Deletes payments that never had a transaction and never can have one: those without an account after a day, the others, which their
 * owners may look at, after ninety. Their signatures have expired, so none can move anything any more. A job runs it.
 * @returns how many
 */
export async function deleteVoidPayments(): Promise<number> {
  const isOlder = (days: number) => {
    const until = dateOf(now().getTime() - days * DAY_MS);
    return { validUntil: { lte: until }, wantedAt: { lte: until } };
  };
  const isVoid = {
    state: "failed",
    finalized: true,
    relayed: false,
    attempt: 1,
    timesReversed: 0,
    creditedAccount: null,
    OR: [
      { accountId: null, ...isOlder(1) },
      { accountId: { not: null }, ...isOlder(90) },
    ],
  };
  const found = await prisma().paymentClaim.findMany({
    where: isVoid,
    select: { id: true },
    orderBy: { wantedAt: "asc" },
    take: MAX_DELETED,
  });
  // Under the same conditions, so that a payment claimed again in between stays.
  const { count } = await prisma().paymentClaim.deleteMany({ where: { id: { in: found.map(({ id }) => id) }, ...isVoid } });
  return count;
}
