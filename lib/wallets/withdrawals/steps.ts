// State changes of a withdrawal during its payout. Each names its attempt, and changes nothing when that is no longer the current one.

import { walletChainOf } from "@/lib/base/chains";
import { now } from "@/lib/base/clock";
import type { WithdrawalId } from "@/lib/base/ids";
import { type Database, inTransaction, prisma, type Transaction } from "@/lib/db/prisma";
import { signer } from "../custody/signer";
import { hasRoom } from "./queue";
import { changeWithdrawal, type OpenWithdrawal, UNDER_WAY, type WaitsFor } from "./withdrawal";

/** The relay id of an attempt; the next attempt has another. */
export const relayIdOf = ({ id, attempt }: Pick<OpenWithdrawal, "id" | "attempt">): string => `payout_${id}_${attempt}`;

export type Obstacle = "expired" | "frozen" | "unlinked";

/** Reasons in the database against signing payouts now; withdrawals without an obstacle are absent. */
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
  /** Both the paid and the signing wallet are linked to the account. */
  isLinked: boolean;
}

/** Up to two thousand in one query, through the same SQL functions of access as when a withdrawal is ordered. */
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

/** Records why an approved withdrawal is not signed yet. */
export async function delayWithdrawal({ id, state, waitsFor }: OpenWithdrawal, why: WaitsFor): Promise<void> {
  // Only the payout job writes `waitsFor`, so the value read in this round is current: a thousand waiting withdrawals do not cost a
  // thousand transactions.
  if (state !== "approved" || waitsFor === why) return;
  await inTransaction((transaction) => changeWithdrawal({ id, state: "approved" }, { waitsFor: why }, transaction));
}

/**
 * approved → signed, in the transaction in which `sign` has the payout signed and stores its bytes. False, without signing anything, when
 * the owner cancelled first, an obstacle arose, or another process took the limit's last room. Until the commit nobody else can decide
 * about it: every payout that the signer counts against its own limit is paid, and an owner cannot waste the limit of all by cancelling in
 * time.
 * @param sign resolves with the attempt's expiry; null on a chain without one
 * @throws what `sign` throws, and PayoutRefused; then nothing has changed
 */
export async function startAttempt(withdrawal: OpenWithdrawal, sign: (transaction: Transaction) => Promise<Date | null>): Promise<boolean> {
  // The signer asks nodes about a contract wallet's signature. Under the locks below, every payout and payment would wait for them.
  await signer().checkPayout(withdrawal);
  const { id, attempt } = withdrawal;
  return inTransaction(async (transaction) => {
    if ((await findObstacles([withdrawal], transaction)).size > 0) return false;
    if (!(await hasRoom(withdrawal, transaction))) return false;
    const begun = { waitsFor: null, transaction: null, signedAt: now(), confirmedAt: null };
    const signed = { state: "signed", attempt: attempt + 1, validBefore: null, ...begun };
    if (!(await changeWithdrawal({ id, state: "approved", attempt }, signed, transaction))) return false;
    const validBefore = await sign(transaction);
    if (validBefore) await transaction.withdrawal.updateMany({ where: { id }, data: { validBefore } });
    return true;
  });
}

/** Records an attempt's progress; back from `confirmed` to `sent` when its block left the chain. */
export async function followAttempt(withdrawal: OpenWithdrawal, to: "sent" | "confirmed", transactionHash: string): Promise<void> {
  const { id, attempt, state } = withdrawal;
  if (state === to && withdrawal.transaction === transactionHash) return;
  const data = { state: to, transaction: transactionHash, confirmedAt: to === "confirmed" ? now() : null };
  await inTransaction((transaction) => changeWithdrawal({ id, attempt, state: { in: [...UNDER_WAY] } }, data, transaction));
}

/** Gives up the attempt, so that another one may be made. Call it only when it is proved that this one can no longer be carried out. */
export function giveUpAttempt({ id, attempt }: OpenWithdrawal): Promise<boolean> {
  const data = { state: "approved", transaction: null, confirmedAt: null };
  return inTransaction((transaction) => changeWithdrawal({ id, attempt, state: { in: [...UNDER_WAY] } }, data, transaction));
}

/** Books it as paid in a final block. `transaction` null: somebody else carried out the authorization, in an unknown transaction. */
export const finishWithdrawal = ({ id, attempt }: OpenWithdrawal, transaction: string | null): Promise<boolean> =>
  finish({ id, attempt, isForgotten: false, transaction });

/**
 * Books an unsigned withdrawal that its chain shows as paid in a final block: the database was restored to an earlier state. False when the
 * books have it as paid: then only its row was tampered with, and the check of the books reports it.
 * @param transaction null when not found
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
  // In SQL: state and books change in one step.
  const [outcome] = await prisma().$queryRaw<{ done: boolean }[]>`
    SELECT wallets_finish_withdrawal(${id}, ${attempt}::integer, ${isForgotten}, ${transaction}, ${now()}::timestamptz) AS done`;
  return outcome?.done === true;
}
