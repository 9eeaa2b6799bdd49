// Payouts that the books and a chain may see at different moments: signed and not posted yet, or posted a short time ago.

import type { Transaction } from "@/lib/db/prisma";
import { findRelayed } from "@/lib/relay/relayed";
import type { DepositChain } from "../deposits/deposit";
import { relayIdOf } from "../withdrawals/steps";
import { findWithdrawals, type OpenWithdrawal, UNDER_WAY } from "../withdrawals/withdrawal";

export interface Payout {
  chain: DepositChain;
  order: OpenWithdrawal;
  /** The books say that it was paid. */
  isPosted: boolean;
  /** On Solana, of the attempt that counts: an earlier one can never run. */
  signature: string | null;
}

/** A payout is posted once it is final by our own count; a node that is asked afterwards is not further behind than this. */
const POSTED_WITHIN_MS = 3_600_000;
/** An order is open for a week at most, and for as long as its chain takes. */
const ORDERED_WITHIN_MS = 9 * 24 * 3_600_000;

/** Of all that were ever signed, those whose money may or may not have left by a height that was read a moment ago. */
export async function listPayouts(at: Date, snapshot: Transaction): Promise<Payout[]> {
  const endedAfter = new Date(at.getTime() - POSTED_WITHIN_MS);
  const requestedAfter = new Date(endedAfter.getTime() - ORDERED_WITHIN_MS);
  const isUnposted = { attempt: { gt: 0 }, state: { in: ["approved", ...UNDER_WAY] } };
  const isPostedLately = { state: "final", requestedAt: { gt: requestedAfter }, endedAt: { gt: endedAfter } };
  const orders = await findWithdrawals({ OR: [isUnposted, isPostedLately] }, snapshot);
  const relayed = await findRelayed(orders.map(relayIdOf), snapshot);
  const hashOf = new Map(relayed.map(({ id, hash }) => [id, hash]));
  return orders.map((order) => ({
    chain: order.chain,
    order,
    isPosted: order.state === "final",
    signature: hashOf.get(relayIdOf(order)) ?? order.transaction,
  }));
}

/** By how much more is owed, seen from the chains: what had left is no debt any more, what was posted and had not left still is. */
export function owedByPayouts(payouts: readonly Payout[], paid: ReadonlySet<string>): bigint {
  return payouts.reduce((sum, { order, isPosted }) => {
    if (paid.has(order.id) === isPosted) return sum;
    return isPosted ? sum + order.amount : sum - order.amount;
  }, 0n);
}
