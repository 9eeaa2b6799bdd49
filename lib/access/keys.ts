// API keys in the database: create, count, change. Every change reaches all processes through the notice that the tables' triggers send
// (see key-cache.ts).

import { DAY_MS, dateOf, now, nowMs } from "@/lib/base/clock";
import { type AccountId, type KeyId, newKeyId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import { pepper } from "@/lib/base/pepper";
import { type Database, prisma, type Transaction } from "@/lib/db/prisma";
import { lockAccount } from "./accounts";
import { alarmColumns, type KeyAlarm } from "./alarms";
import type { KeyAccess } from "./key-access";
import { generateKey, hashKey, keyDisplay } from "./key-format";

export type CapPeriod = "hour" | "day" | "week" | "month" | "total";

export interface SpendCap {
  nanoUsd: NanoUsd;
  period: CapPeriod;
}

interface NewKey extends Partial<KeyAccess> {
  accountId: AccountId;
  name: string;
  expiresAt?: Date;
  cap?: SpendCap;
  allowedModels?: readonly string[];
  clipMinTokens?: number | null;
  /** Null: none; without it, the alarm that every key has. */
  alarm?: KeyAlarm | null;
  /** No wallet signed for it. */
  unsigned?: boolean;
}

/** What a key may do; null = no expiry, no cap, every model. `keep` leaves the expiry unchanged. */
export interface KeyLimits {
  expiresAt: Date | null | "keep";
  cap: SpendCap | null;
  allowedModels: readonly string[] | null;
}

/** Creates a key and returns its clear text, the only time. */
export async function createKey(key: NewKey, database: Database = prisma()): Promise<{ keyId: KeyId; key: string }> {
  const clear = generateKey();
  const keyId = newKeyId();
  const { prefix, last4 } = keyDisplay(clear);
  await database.apiKey.create({
    data: {
      id: keyId,
      accountId: key.accountId,
      prefix,
      last4,
      name: key.name,
      createdAt: now(),
      hash: new Uint8Array(hashKey(clear, pepper())),
      expiresAt: key.expiresAt ?? null,
      capNanoUsd: key.cap?.nanoUsd ?? null,
      capPeriod: key.cap?.period ?? null,
      clipMinTokens: key.clipMinTokens ?? null,
      unsignedCap: key.unsigned ? (key.cap?.nanoUsd ?? 0n) : null,
      ...(key.alarm !== undefined && alarmColumns(key.alarm)),
      ...(key.scopes && { scopes: [...key.scopes] }),
      ...(key.networks && { networks: [...key.networks] }),
      // Without a list the column stays NULL: every model.
      ...(key.allowedModels && { allowedModels: [...key.allowedModels] }),
    },
  });
  return { keyId, key: clear };
}

/** Sets a key's state. Revoked is final. Returns false when the account has no such key, or the key is revoked. */
export async function setKeyState(
  accountId: AccountId,
  keyId: KeyId,
  state: "active" | "paused" | "revoked",
  database: Database = prisma(),
): Promise<boolean> {
  const { count } = await database.apiKey.updateMany({
    where: { accountId, id: keyId, state: { not: "revoked" } },
    data: { state, revokedAt: state === "revoked" ? now() : null },
  });
  return count === 1;
}

/**
 * Adds up what keys without a signature could spend, at most and each in its period, without the key `except`. A key counts for a day after it was
 * revoked or has ended, and a lowered one at its former cap, since that may be spent. Lock the account first.
 */
export async function sumUnsignedCaps(accountId: AccountId, except: KeyId | null, transaction: Transaction): Promise<bigint> {
  const since = dateOf(nowMs() - DAY_MS);
  const { _sum: sum } = await transaction.apiKey.aggregate({
    where: {
      ...{ accountId, unsignedCap: { not: null }, expiresAt: { gt: since } },
      OR: [{ revokedAt: null }, { revokedAt: { gt: since } }],
      ...(except !== null && { id: { not: except } }),
    },
    _sum: { unsignedCap: true },
  });
  return sum.unsignedCap ?? 0n;
}

/** The most that a key has been able to spend without a wallet's signature; null when a wallet signed for it. */
export async function findUnsignedCap(accountId: AccountId, keyId: KeyId, transaction: Transaction): Promise<bigint | null> {
  return (await transaction.apiKey.findFirst({ where: { accountId, id: keyId }, select: { unsignedCap: true } }))?.unsignedCap ?? null;
}

/** Says what a key can spend without a signature; null: a wallet has signed for it. */
export async function setUnsignedCap(
  accountId: AccountId,
  keyId: KeyId,
  unsignedCap: bigint | null,
  database: Database = prisma(),
): Promise<void> {
  await database.apiKey.updateMany({ where: { accountId, id: keyId }, data: { unsignedCap } });
}

/** Pauses all active keys of the account. */
export async function pauseAllKeys(accountId: AccountId, transaction: Transaction): Promise<void> {
  await transaction.apiKey.updateMany({ where: { accountId, state: "active" }, data: { state: "paused" } });
}

/** Renames a key. Returns false when the account has no such key, or the key is revoked. */
export async function renameKey(accountId: AccountId, keyId: KeyId, name: string): Promise<boolean> {
  const { count } = await prisma().apiKey.updateMany({ where: { accountId, id: keyId, state: { not: "revoked" } }, data: { name } });
  return count === 1;
}

/** Locks a key as everybody does who changes its limits. */
export async function lockKey(accountId: AccountId, keyId: KeyId, transaction: Transaction): Promise<void> {
  await transaction.$queryRaw`SELECT id FROM api_key WHERE id = ${keyId} AND account_id = ${accountId} FOR UPDATE`;
}

/**
 * Counts the account's keys that are not revoked. The account stays locked until the transaction ends, so that concurrent creations of
 * a key count one after the other.
 */
export async function countLiveKeys(accountId: AccountId, transaction: Transaction): Promise<number> {
  await lockAccount(accountId, transaction);
  return transaction.apiKey.count({ where: { accountId, state: { not: "revoked" } } });
}

/** How many keys of the account, live or not, were created since then. Lock the account first. */
export const countKeysSince = (accountId: AccountId, since: Date, transaction: Transaction): Promise<number> =>
  transaction.apiKey.count({ where: { accountId, createdAt: { gt: since } } });
