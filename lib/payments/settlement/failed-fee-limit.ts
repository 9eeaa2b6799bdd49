// The limit on fees paid for nothing: a transaction that moves nothing costs the operator its fee, and a wallet can cause such transactions
// on purpose. A payer whose payments outnumber its failed transactions within 30 days has paid for its failures: it may have as many
// transactions under way as the difference, up to 32. All other payers are on trust, and share FAILED_FEE_LIMIT_PER_HOUR transactions. A
// payer's own limit is never below 4 under way until one of them fails; three failures within an hour stop it.

import { DAY_MS, dateOf, HOUR_MS, now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { fromUsdcUnits } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { type Database, inTransaction, lockName, prisma, type Transaction } from "@/lib/db/prisma";
import type { PaymentClaim } from "../claims/claim";
import type { AttemptOutcome } from "./settlement-strategy";

/** A payment from a key burns about 90,000 gas; a contract wallet's own signature check may burn much more, at our cost. */
export const MAX_GAS = 1_000_000n;

export const takesTooMuchGas: AttemptOutcome = {
  kind: "refused",
  reason: "settlement_failed",
  message: "The wallet's signature check uses too much gas",
};

const MONTH_MS = 30 * DAY_MS;
const MAX_FAILED_AN_HOUR = 3;
const MIN_UNDER_WAY = 4;
const MAX_UNDER_WAY = 32;

type Verdict =
  | { kind: "go"; onTrust: boolean }
  /** As many are under way as may be at a time, of the payer's own or of all on trust; or as many as the payer has money for. */
  | { kind: "wait" }
  /** Too many failed within the hour: the payer's own, or those of all payers on trust. */
  | { kind: "payer_failed" | "others_failed" };

/** The reason not to simulate a payer's transaction now; null when there is none. Run it before the chain is read, which costs more. */
export async function findFailedFeeLimit(claim: PaymentClaim): Promise<AttemptOutcome | null> {
  const verdict = await judge(claim, await readUnderWay(claim, prisma()), prisma());
  return verdict.kind === "go" ? null : outcomeOf(verdict, claim);
}

/** A payer's USDC, as its chain reported after `at`; for a proof, no more than the contract may move. */
export interface Funds {
  units: bigint;
  at: Date;
}

/**
 * Stores an attempt's transaction and marks its claim as relayed, in one commit: once, however many callers try at once, and never more
 * than their payer can pay. `store`: the relay's `storeCall` or `storeSigned`.
 */
export async function storeAttempt(
  claim: PaymentClaim,
  funds: Funds,
  store: (transaction: Transaction) => Promise<unknown>,
): Promise<AttemptOutcome> {
  const verdict = await inTransaction(async (transaction) => {
    // Transactions that others store meanwhile count, so they are stored one after the other, as the relayer's nonces require anyway.
    await lockName(`payments under way on ${claim.network}`, transaction);
    const decided = await decide(claim, funds, transaction);
    if (decided?.kind !== "go") return decided;
    const marked = { where: openAttempt(claim), data: { relayed: true, onTrust: decided.onTrust } };
    if ((await transaction.paymentClaim.updateMany(marked)).count > 0) await store(transaction);
    return decided;
  });
  return outcomeOf(verdict, claim);
}

/** Null when its transaction is stored already, or the claim has taken another step. */
async function decide(claim: PaymentClaim, funds: Funds, transaction: Transaction): Promise<Verdict | null> {
  if (!(await transaction.paymentClaim.findFirst({ where: openAttempt(claim), select: { id: true } }))) return null;
  const underWay = await readUnderWay(claim, transaction);
  const verdict = await judge(claim, underWay, transaction);
  if (verdict.kind !== "go") return verdict;
  return (await canPay(claim, { funds, underWay }, transaction)) ? verdict : { kind: "wait" };
}

const openAttempt = ({ id, attempt }: PaymentClaim) => ({ id, attempt, state: "claimed", relayed: false });

interface UnderWay {
  count: number;
  /** nano-USD. */
  amount: bigint;
}

/** Read before the payer's failed and paid ones: a transaction that ends between two reads is counted twice, and never left out. */
async function readUnderWay({ network, payer }: PaymentClaim, database: Database): Promise<UnderWay> {
  const where = { network, payer, state: "claimed", relayed: true };
  const { _count, _sum } = await database.paymentClaim.aggregate({ where, _count: true, _sum: { amount: true } });
  return { count: _count, amount: _sum.amount ?? 0n };
}

async function judge({ network, payer }: PaymentClaim, underWay: UnderWay, database: Database): Promise<Verdict> {
  const nowAt = now().getTime();
  const [monthAgo, hourAgo] = [dateOf(nowAt - MONTH_MS), dateOf(nowAt - HOUR_MS)];
  const failures = await database.failedTransaction.findMany({ where: { network, payer, at: { gt: monthAgo } }, select: { at: true } });
  const failed = failures.length;
  const failedNow = failures.filter(({ at }) => at > hourAgo).length;
  const isPaid = { network, payer, state: "paid", paidAt: { gt: monthAgo } };
  // In an index's order, so that no more rows are read than count.
  const paid = await database.paymentClaim.count({ where: isPaid, orderBy: { paidAt: "desc" }, take: failed + MAX_UNDER_WAY });
  const onTrust = paid <= failed;
  if (failedNow >= MAX_FAILED_AN_HOUR) return { kind: "payer_failed" };
  const maxUnderWay = failedNow > 0 ? MAX_FAILED_AN_HOUR - failedNow : Math.max(MIN_UNDER_WAY, paid - failed);
  if (underWay.count >= maxUnderWay) return { kind: "wait" };
  return (onTrust ? await judgeTrust(network, hourAgo, database) : null) ?? { kind: "go", onTrust };
}

/** Null when the shared budget of payers on trust allows another transaction. */
async function judgeTrust(network: string, hourAgo: Date, database: Database): Promise<Verdict | null> {
  const budget = config().FAILED_FEE_LIMIT_PER_HOUR;
  const underWay = await database.paymentClaim.count({ where: { network, state: "claimed", relayed: true, onTrust: true } });
  const failed = await database.failedTransaction.count({ where: { network, onTrust: true, at: { gt: hourAgo } } });
  if (failed >= budget) return { kind: "others_failed" };
  return failed + underWay >= budget ? { kind: "wait" } : null;
}

/** The clocks of processes may differ by this much. */
const CLOCK_DIFFERENCE_MS = 1_000;

/** Whether the payer can pay this one besides those under way and those that were paid after its funds were read. */
async function canPay(
  { network, payer, amount }: PaymentClaim,
  { funds: { units, at }, underWay }: { funds: Funds; underWay: UnderWay },
  transaction: Transaction,
): Promise<boolean> {
  const where = { network, payer, state: "paid", paidAt: { gt: dateOf(at.getTime() - CLOCK_DIFFERENCE_MS) } };
  const { _sum } = await transaction.paymentClaim.aggregate({ where, _sum: { amount: true } });
  // A bigint, since a token's balance can exceed the range of the ledger's amounts.
  return units * fromUsdcUnits(1n) >= amount + underWay.amount + (_sum.amount ?? 0n);
}

function outcomeOf(verdict: Verdict | null, { id, scheme, payer }: PaymentClaim): AttemptOutcome {
  if (verdict === null || verdict.kind === "go") return { kind: "stored" };
  if (verdict.kind === "wait") return { kind: "unknown" };
  const { kind: reason } = verdict;
  metrics().paymentsLimited.inc({ scheme, reason });
  log().warn({ payment: id, payer, reason }, "refused a payment: too many recent transactions failed and cost fees");
  return { kind: "refused", reason: "settlement_failed", message: messages[reason] };
}

const messages = {
  payer_failed: "Three payments from this wallet failed on chain within the last hour. Try again an hour after the first",
  others_failed: "Too many first payments from new wallets failed on chain within the last hour. Try again later",
} as const;

/** Deletes failed transactions that are too old for the limit to count. A job runs it. @returns how many */
export async function deleteOldFailedTransactions(): Promise<number> {
  const { count } = await prisma().failedTransaction.deleteMany({ where: { at: { lte: dateOf(now().getTime() - MONTH_MS) } } });
  return count;
}
