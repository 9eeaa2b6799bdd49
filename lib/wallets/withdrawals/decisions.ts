// Decisions about an open withdrawal: its owner cancels it, the operator approves or refuses it. Each is a compare-and-set, so that of a
// concurrent cancel and payout only one succeeds.

import { now } from "@/lib/base/clock";
import type { AccountId, WithdrawalId } from "@/lib/base/ids";
import { inTransaction, prisma } from "@/lib/db/prisma";
import { changeWithdrawal, UNSIGNED, type WithdrawalState } from "./withdrawal";

/**
 * The owner cancels it and gets the money back. False when it is another account's, or too late: signed or over; or not yet, while it is
 * unsigned and its chain was not asked since the last start.
 */
export const cancelWithdrawal = (accountId: AccountId, id: WithdrawalId): Promise<boolean> =>
  giveBack({ id, owner: accountId, from: UNSIGNED, to: "cancelled", reason: null });

/** The operator refuses it, and the owner gets the money back. False when it was signed, or is over, or not yet, as above. */
export const refuseWithdrawal = (id: WithdrawalId, reason: string): Promise<boolean> =>
  giveBack({ id, owner: null, from: UNSIGNED, to: "refused", reason });

/** Returns the money to the owner. Call it only when it is proved that nothing was paid and nothing can be paid any more. */
export const failWithdrawal = (id: WithdrawalId, from: readonly WithdrawalState[], reason: string): Promise<boolean> =>
  giveBack({ id, owner: null, from, to: "failed", reason });

interface GiveBack {
  id: WithdrawalId;
  owner: AccountId | null;
  from: readonly WithdrawalState[];
  to: "cancelled" | "refused" | "failed";
  reason: string | null;
}

async function giveBack({ id, owner, from, to, reason }: GiveBack): Promise<boolean> {
  // In SQL: state and balance change in one step.
  const [outcome] = await prisma().$queryRaw<{ done: boolean }[]>`
    SELECT wallets_return_withdrawal(${id}, ${owner}, ${from}::text[], ${to}, ${reason}, ${now()}::timestamptz) AS done`;
  return outcome?.done === true;
}

/**
 * False when the withdrawal does not wait for approval, or has expired. An approved withdrawal that the signer refuses without the
 * operator's signature may be approved again.
 * @param operatorSignature checked by the caller, and again by the signer
 */
export function approveWithdrawal(id: WithdrawalId, operatorSignature: string): Promise<boolean> {
  const at = now();
  return inTransaction(async (transaction) => {
    const payFrom = (await transaction.withdrawal.findUnique({ where: { id }, select: { payFrom: true } }))?.payFrom;
    // A withdrawal that waits by its owner's rule joins the queue when that time is over.
    const approvedAt = payFrom && payFrom > at ? payFrom : at;
    const isOpen = { id, validUntil: { gt: at } };
    const approved = { state: "approved", operatorSignature };
    return (
      (await changeWithdrawal({ ...isOpen, state: "awaiting_approval" }, { ...approved, approvedAt }, transaction)) ||
      changeWithdrawal({ ...isOpen, state: "approved", waitsFor: "approval" }, { ...approved, waitsFor: null }, transaction)
    );
  });
}
