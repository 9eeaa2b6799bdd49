// The faucet's daily quota per account. A gift reserves a number before it is sent, and frees it when sending failed, so that concurrent
// requests in any number of processes never exceed the quota.

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import type { FaucetChain } from "@/lib/console/deposit/faucet";
import { type Database, inTransaction, lockName, prisma } from "@/lib/db/prisma";

export interface Gift {
  accountId: AccountId;
  /** UTC. */
  day: Date;
  /** From 1. */
  index: number;
}

/** Takes one of today's `max` gifts; null when none is left. */
export async function takeGift(accountId: AccountId, chain: FaucetChain, max: number): Promise<Gift | null> {
  const at = now();
  const day = new Date(at.toISOString().slice(0, 10));
  return inTransaction(async (transaction) => {
    await lockName(`faucet of ${accountId}`, transaction);
    await transaction.faucetGift.deleteMany({ where: { accountId, day: { lt: day } } });
    const taken = await transaction.faucetGift.findMany({ where: { accountId, day }, select: { index: true } });
    const indexes = Array.from({ length: max }, (_, number) => number + 1);
    const index = indexes.find((one) => !taken.some((gift) => gift.index === one));
    if (index === undefined) return null;
    await transaction.faucetGift.create({ data: { accountId, day, index, chain, askedAt: at } });
    return { accountId, day, index };
  });
}

/** Records the gift's transaction. */
export async function recordGift({ accountId, day, index }: Gift, transaction: string): Promise<void> {
  await prisma().faucetGift.updateMany({ where: { accountId, day, index }, data: { transaction } });
}

/** Frees the number of a gift that was not sent. */
export async function returnGift({ accountId, day, index }: Gift): Promise<void> {
  await prisma().faucetGift.deleteMany({ where: { accountId, day, index } });
}

/** Whether the account has a gift; gifts of earlier days are deposits by now. */
export async function hasGift(accountId: AccountId, database: Database): Promise<boolean> {
  return (await database.faucetGift.findFirst({ where: { accountId }, select: { accountId: true } })) !== null;
}
