// The queue for the service's daily limit. Only signed payouts take from the limit, so that an order that may still be cancelled, or that
// can never be signed, keeps nobody else waiting. Withdrawals that it has no room for wait in the order of approval.

import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import type { AccountId, WithdrawalId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { type Database, prisma } from "@/lib/db/prisma";
import { findWithdrawals, type OpenState, UNDER_WAY, UNSIGNED, type Withdrawal } from "./withdrawal";

/** The withdrawals that are paid before one: how many, and their amounts. */
export interface Ahead {
  count: number;
  amount: NanoUsd;
}

/** The place of each of the account's withdrawals that wait for the limit; others are absent. */
export async function findPlaces(accountId: AccountId): Promise<ReadonlyMap<WithdrawalId, Ahead>> {
  const rows = await prisma().$queryRaw<{ id: WithdrawalId; ahead: number; amount: bigint }[]>`
    SELECT id, ahead, amount FROM wallets_ahead(${accountId})`;
  return new Map(rows.map(({ id, ahead, amount }) => [id, { count: ahead, amount: nanoUsd(amount) }]));
}

/** The account's open withdrawals with their places, the oldest first. */
export async function listOpenWithdrawals(accountId: AccountId): Promise<(Withdrawal & { state: OpenState; ahead: Ahead | null })[]> {
  const where = { accountId, state: { in: [...UNSIGNED, ...UNDER_WAY] } };
  const [open, places] = await Promise.all([findWithdrawals(where, prisma()), findPlaces(accountId)]);
  const byAge = open.sort((one, other) => one.requestedAt.getTime() - other.requestedAt.getTime() || (one.id < other.id ? -1 : 1));
  return byAge.map((withdrawal) => ({ ...withdrawal, state: withdrawal.state as OpenState, ahead: places.get(withdrawal.id) ?? null }));
}

/** The limit's room now, before the withdrawals that wait. */
export async function readRoom(): Promise<NanoUsd> {
  const [row] = await prisma().$queryRaw<{ paid: bigint }[]>`SELECT wallets_paid_in_a_day(${now()}::timestamptz) AS paid`;
  return nanoUsd(config().WITHDRAWAL_SERVICE_DAILY_LIMIT_USD - (row?.paid ?? 0n));
}

/** Whether the limit has room for a payout that this transaction signs: no other one is decided until it has ended. */
export async function hasRoom({ amount }: Pick<Withdrawal, "amount">, transaction: Database): Promise<boolean> {
  const { WITHDRAWAL_SERVICE_DAILY_LIMIT_USD: limit } = config();
  const [row] = await transaction.$queryRaw<{ has: boolean }[]>`
    SELECT wallets_has_room(${amount}, ${limit}, ${now()}::timestamptz) AS has`;
  return row?.has === true;
}
