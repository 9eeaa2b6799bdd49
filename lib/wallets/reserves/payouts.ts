// Payouts that the books and a chain may see at different times: signed but not posted yet, or posted recently.

import type { ChainId } from "@/lib/base/chains";
import { DAY_MS, HOUR_MS } from "@/lib/base/clock";
import type { Transaction } from "@/lib/db/prisma";
import { findRelayed } from "@/lib/relay/relayed";
import { relayIdOf } from "../withdrawals/steps";
import { findWithdrawals, type OpenWithdrawal, UNDER_WAY } from "../withdrawals/withdrawal";

export interface Payout {
  chain: ChainId;
  order: OpenWithdrawal;
  /** Posted in the books as paid. */
  isPosted: boolean;
  /** On Solana, the signature of the current attempt: earlier ones can never run. */
  signature: string | null;
}

/** A payout is posted once it is final; a node used afterwards lags less than this. */
const POSTED_WITHIN_MS = HOUR_MS;
/** An order is open for at most a week, plus the time its chain takes. */
const ORDERED_WITHIN_MS = 9 * DAY_MS;

/** Signed payouts whose money may or may not have left by a recently read height. */
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

/** Corrects the owed amount to the chains' view: a payout that had left is no longer owed; if it had not, it still is, though posted. */
export function owedByPayouts(payouts: readonly Payout[], paid: ReadonlySet<string>): bigint {
  return payouts.reduce((sum, { order, isPosted }) => {
    if (paid.has(order.id) === isPosted) return sum;
    return isPosted ? sum + order.amount : sum - order.amount;
  }, 0n);
}
