// What people decide about a withdrawal that is under way: its owner takes it back, the operator approves or refuses it. Each
// compares and sets, so that of a cancel and a payout at the same moment one finds that it came too late.

import { now } from "@/lib/base/clock";
import type { AccountId, WithdrawalId } from "@/lib/base/ids";
import { inTransaction, prisma } from "@/lib/db/prisma";
import { changeWithdrawal, UNSIGNED, type WithdrawalState } from "./withdrawal";

/** The owner takes it back, with its money. False when it is another account's, or too late: it was signed, or is over. */
export const cancelWithdrawal = (accountId: AccountId, id: WithdrawalId): Promise<boolean> =>
  giveBack({ id, owner: accountId, from: UNSIGNED, to: "cancelled", reason: null });

/** The operator refuses it, and the owner has the money back. False when it was signed, or is over. */
export const refuseWithdrawal = (id: WithdrawalId, reason: string): Promise<boolean> =>
  giveBack({ id, owner: null, from: UNSIGNED, to: "refused", reason });

/** Nothing was paid, and nothing can be any more: the owner has the money back. Call it only when that is proved. */
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
  // In SQL: the state and the customer's balance change in one step.
  const [outcome] = await prisma().$queryRaw<{ done: boolean }[]>`
    SELECT wallets_return_withdrawal(${id}, ${owner}, ${from}::text[], ${to}, ${reason}, ${now()}::timestamptz) AS done`;
  return outcome?.done === true;
}

/** False when it does not wait for approval, or was ordered too long ago. */
export function approveWithdrawal(id: WithdrawalId): Promise<boolean> {
  const at = now();
  return inTransaction((transaction) =>
    changeWithdrawal({ id, state: "awaiting_approval", validUntil: { gt: at } }, { state: "approved", approvedAt: at }, transaction),
  );
}
