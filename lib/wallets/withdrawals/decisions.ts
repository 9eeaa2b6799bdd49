// What people decide about a withdrawal that is under way: its owner takes it back, the operator approves or refuses it. Each
// compares and sets, so that of a cancel and a payout at the same moment one finds that it came too late.

import { now } from "@/lib/base/clock";
import type { AccountId, WithdrawalId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import type { WithdrawalState } from "./withdrawal";

/** What nothing was signed for. */
const unsigned: readonly WithdrawalState[] = ["awaiting_approval", "approved"];

/** The owner takes it back, with its money. False when it is another account's, or too late: it was signed, or is over. */
export const cancelWithdrawal = (accountId: AccountId, id: WithdrawalId): Promise<boolean> =>
  giveBack({ id, owner: accountId, from: unsigned, to: "cancelled", reason: null });

/** The operator refuses it, and the owner has the money back. False when it was signed, or is over. */
export const refuseWithdrawal = (id: WithdrawalId, reason: string): Promise<boolean> =>
  giveBack({ id, owner: null, from: unsigned, to: "refused", reason });

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
  const { rows } = await pool().query<{ done: boolean }>("SELECT wallets_return_withdrawal($1, $2, $3, $4, $5, $6) AS done", [
    ...[id, owner, from, to, reason, now()],
  ]);
  return rows[0]?.done === true;
}

/** False when it does not wait for approval, or was ordered too long ago. */
export async function approveWithdrawal(id: WithdrawalId): Promise<boolean> {
  const { rows } = await pool().query<{ done: boolean }>("SELECT wallets_approve_withdrawal($1, $2) AS done", [id, now()]);
  return rows[0]?.done === true;
}
