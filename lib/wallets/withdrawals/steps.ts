// The steps of a withdrawal that is being paid. Each names the attempt that it is about, and changes nothing when that is not
// the one under way any more; what they write and what the ledger is told is one transaction.

import { now } from "@/lib/base/clock";
import type { WithdrawalId } from "@/lib/base/ids";
import { pool, type Queryable } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import type { OpenWithdrawal, WaitsFor } from "./withdrawal";

/** Under this name the relay knows an attempt; the next one has another. */
export const relayIdOf = ({ id, attempt }: Pick<OpenWithdrawal, "id" | "attempt">): string => `payout_${id}_${attempt}`;

export type Obstacle = "expired" | "frozen" | "unlinked";

/** What the database knows against signing payouts now; those against which it knows nothing are not in it. */
export async function findObstacles(ids: readonly WithdrawalId[]): Promise<ReadonlyMap<WithdrawalId, Obstacle>> {
  const { rows } = await pool().query<{ id: WithdrawalId; obstacle: Obstacle | null }>(
    "SELECT id, wallets_withdrawal_obstacle(id, $2) AS obstacle FROM unnest($1::text[]) AS wanted(id)",
    [ids, now()],
  );
  return new Map(rows.flatMap(({ id, obstacle }) => (obstacle === null ? [] : [[id, obstacle] as const])));
}

/** Notes why an approved one is not signed yet. */
export async function delayWithdrawal(id: WithdrawalId, why: WaitsFor): Promise<void> {
  await pool().query("SELECT wallets_delay_withdrawal($1, $2)", [id, why]);
}

/**
 * approved → signed, in the transaction that stores the signed bytes. False when its owner was faster and took it back, or an
 * obstacle came up.
 * @param validBefore from then on the attempt counts for nothing, where its chain has such a moment
 */
export async function startAttempt(
  { id, attempt }: Pick<OpenWithdrawal, "id" | "attempt">,
  validBefore: Date | null,
  transaction: Queryable,
): Promise<boolean> {
  const { rows } = await transaction.query<{ started: boolean }>("SELECT wallets_sign_withdrawal($1, $2, $3, $4) AS started", [
    ...[id, attempt, validBefore, now()],
  ]);
  return rows[0]?.started === true;
}

/** Follows an attempt on its chain; back from `confirmed` to `sent` when its block is gone. */
export async function followAttempt({ id, attempt }: OpenWithdrawal, state: "sent" | "confirmed", transaction: string): Promise<void> {
  await pool().query("SELECT wallets_follow_withdrawal($1, $2, $3, $4, $5)", [id, attempt, state, transaction, now()]);
}

/** The attempt can never be carried out any more: another one may be made. Call it only when that is proved. */
export async function giveUpAttempt({ id, attempt }: OpenWithdrawal): Promise<boolean> {
  const { rows } = await pool().query<{ done: boolean }>("SELECT wallets_retry_withdrawal($1, $2) AS done", [id, attempt]);
  return rows[0]?.done === true;
}

/** It is paid, and its block is final. `transaction` null: somebody else carried the authorization out, in one that we do not know. */
export async function finishWithdrawal(
  { id, attempt }: Pick<OpenWithdrawal, "id" | "attempt">,
  transaction: string | null,
  database: Queryable = pool(),
): Promise<boolean> {
  const { rows } = await database.query<{ done: boolean }>("SELECT wallets_finish_withdrawal($1, $2, $3, $4) AS done", [
    ...[id, attempt, transaction, now()],
  ]);
  return rows[0]?.done === true;
}

/**
 * An approved one that its chain shows as paid, in a final block: the database was set back to before that. False when the books have
 * it as paid: then its row was changed alone, and the check of the books tells.
 * @param transaction null when it is not found
 */
export function finishForgotten({ id, attempt }: OpenWithdrawal, transaction: string | null): Promise<boolean> {
  const paid = { id, attempt: attempt + 1 };
  return inTransaction(async (database) => {
    const { rows } = await database.query<{ booked: boolean }>(
      "SELECT ledger_moved('payout_' || $1, 'withdrawal_pending') IS NOT NULL AS booked",
      [id],
    );
    if (rows[0]?.booked !== false || !(await startAttempt(paid, null, database))) return false;
    return finishWithdrawal(paid, transaction, database);
  });
}
