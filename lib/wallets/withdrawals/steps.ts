// The steps of a withdrawal that is being paid. Each names the attempt that it is about, and changes nothing when that is not
// the one under way any more.

import { now } from "@/lib/base/clock";
import type { WithdrawalId } from "@/lib/base/ids";
import { type Database, inTransaction, prisma, type Transaction } from "@/lib/db/prisma";
import { walletChainOf } from "../custody/withdrawal-order";
import { changeWithdrawal, type OpenWithdrawal, UNDER_WAY, type WaitsFor } from "./withdrawal";

/** Under this name the relay knows an attempt; the next one has another. */
export const relayIdOf = ({ id, attempt }: Pick<OpenWithdrawal, "id" | "attempt">): string => `payout_${id}_${attempt}`;

export type Obstacle = "expired" | "frozen" | "unlinked";

/** What the database knows against signing payouts now; those against which it knows nothing are not in it. */
export async function findObstacles(
  withdrawals: readonly OpenWithdrawal[],
  database: Database = prisma(),
): Promise<ReadonlyMap<WithdrawalId, Obstacle>> {
  const at = now();
  const known = await readAccess(withdrawals, database);
  const obstacleOf = ({ id, validUntil }: OpenWithdrawal): Obstacle | null => {
    if (validUntil <= at) return "expired";
    if (known.get(id)?.isFrozen) return "frozen";
    return known.get(id)?.isLinked ? null : "unlinked";
  };
  return new Map(
    withdrawals.flatMap((withdrawal) => {
      const obstacle = obstacleOf(withdrawal);
      return obstacle === null ? [] : [[withdrawal.id, obstacle] as const];
    }),
  );
}

interface Access {
  id: WithdrawalId;
  isFrozen: boolean;
  /** Both the wallet that is paid and the one that signed are the account's. */
  isLinked: boolean;
}

/** For up to two thousand in one query: access answers in SQL functions, as it does when a withdrawal is ordered. */
async function readAccess(withdrawals: readonly OpenWithdrawal[], database: Database): Promise<ReadonlyMap<WithdrawalId, Access>> {
  const columnOf = (read: (withdrawal: OpenWithdrawal) => string) => withdrawals.map(read);
  const rows = await database.$queryRaw<Access[]>`
    SELECT o.id, access_is_frozen(o.account) AS "isFrozen",
      EXISTS (SELECT FROM access_linked_wallet(o.account, o.chain, o.destination))
        AND EXISTS (SELECT FROM access_linked_wallet(o.account, o.signer_chain, o.signer)) AS "isLinked"
    FROM unnest(
      ${columnOf(({ id }) => id)}::text[], ${columnOf(({ accountId }) => accountId)}::text[],
      ${columnOf(({ chain }) => walletChainOf(chain))}::text[], ${columnOf(({ destination }) => destination)}::text[],
      ${columnOf(({ signer }) => signer.chain)}::text[], ${columnOf(({ signer }) => signer.address)}::text[]
    ) AS o(id, account, chain, destination, signer_chain, signer)`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** Records why an approved one is not signed yet. */
export async function delayWithdrawal({ id, state, waitsFor }: OpenWithdrawal, why: WaitsFor): Promise<void> {
  // The payer alone writes it, so that what this round has read is what is there: a thousand that wait are no thousand transactions.
  if (state !== "approved" || waitsFor === why) return;
  await inTransaction((transaction) => changeWithdrawal({ id, state: "approved" }, { waitsFor: why }, transaction));
}

/**
 * approved → signed, in the transaction in which `store` stores the signed bytes. False, and nothing is stored, when its owner was
 * faster and took it back, or an obstacle came up.
 * @param validBefore from then on the attempt counts for nothing, where its chain has such a moment
 */
export function startAttempt(
  withdrawal: OpenWithdrawal,
  validBefore: Date | null,
  store: (transaction: Transaction) => Promise<unknown>,
): Promise<boolean> {
  const { id, attempt } = withdrawal;
  return inTransaction(async (transaction) => {
    if ((await findObstacles([withdrawal], transaction)).size > 0) return false;
    const begun = { waitsFor: null, transaction: null, signedAt: now(), confirmedAt: null };
    const signed = { state: "signed", attempt: attempt + 1, validBefore, ...begun };
    if (!(await changeWithdrawal({ id, state: "approved", attempt }, signed, transaction))) return false;
    await store(transaction);
    return true;
  });
}

/** Follows an attempt on its chain; back from `confirmed` to `sent` when its block is gone. */
export async function followAttempt(withdrawal: OpenWithdrawal, to: "sent" | "confirmed", transactionHash: string): Promise<void> {
  const { id, attempt, state } = withdrawal;
  if (state === to && withdrawal.transaction === transactionHash) return;
  const data = { state: to, transaction: transactionHash, confirmedAt: to === "confirmed" ? now() : null };
  await inTransaction((transaction) => changeWithdrawal({ id, attempt, state: { in: [...UNDER_WAY] } }, data, transaction));
}

/** The attempt can never be carried out any more: another one may be made. Call it only when that is proved. */
export function giveUpAttempt({ id, attempt }: OpenWithdrawal): Promise<boolean> {
  const data = { state: "approved", transaction: null, confirmedAt: null };
  return inTransaction((transaction) => changeWithdrawal({ id, attempt, state: { in: [...UNDER_WAY] } }, data, transaction));
}

/** It is paid, and its block is final. `transaction` null: somebody else carried the authorization out, in one that we do not know. */
export const finishWithdrawal = ({ id, attempt }: OpenWithdrawal, transaction: string | null): Promise<boolean> =>
  finish({ id, attempt, isForgotten: false, transaction });

/**
 * An approved one that its chain shows as paid, in a final block: the database was set back to before that. False when the books have
 * it as paid: then its row was changed alone, and the check of the books tells.
 * @param transaction null when it is not found
 */
export const finishForgotten = ({ id, attempt }: OpenWithdrawal, transaction: string | null): Promise<boolean> =>
  finish({ id, attempt: attempt + 1, isForgotten: true, transaction });

interface Finish {
  id: WithdrawalId;
  attempt: number;
  isForgotten: boolean;
  transaction: string | null;
}

async function finish({ id, attempt, isForgotten, transaction }: Finish): Promise<boolean> {
  // In SQL: the state and the books change in one step.
  const [outcome] = await prisma().$queryRaw<{ done: boolean }[]>`
    SELECT wallets_finish_withdrawal(${id}, ${attempt}::integer, ${isForgotten}, ${transaction}, ${now()}::timestamptz) AS done`;
  return outcome?.done === true;
}
