// API keys in the database: making, finding, changing. Every change reaches all processes by the notice that the tables'
// triggers send (see key-cache.ts).

import { now } from "@/lib/base/clock";
import { type AccountId, type KeyId, newKeyId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import { pool, type Queryable } from "@/lib/db/pool";
import type { Transaction } from "@/lib/db/prisma";
import { generateKey, hashKey, keyDisplay } from "./key-format";
import { pepper } from "./pepper";

export type CapPeriod = "day" | "week" | "month" | "total";

export interface SpendCap {
  nanoUsd: NanoUsd;
  period: CapPeriod;
}

interface NewKey {
  accountId: AccountId;
  name: string;
  expiresAt?: Date;
  cap?: SpendCap;
  allowedModels?: readonly string[];
}

/** What a key may do; null = no end, no cap, every model. `keep` leaves its end as it is. */
export interface KeyLimits {
  expiresAt: Date | null | "keep";
  cap: SpendCap | null;
  allowedModels: readonly string[] | null;
}

/** What the request path needs to know of a key; state and cap are decided again inside the hold. */
export interface KeyRecord {
  keyId: KeyId;
  accountId: AccountId;
  state: "active" | "paused" | "revoked";
  accountState: "open" | "frozen";
  expiresAt: Date | null;
  allowedModels: readonly string[] | null;
  /** Limits of this account that differ from the service's. */
  ratePerMinute: number | null;
  concurrency: number | null;
}

/** Creates a key and returns it in clear, for the only time. */
export async function createKey(key: NewKey, database: Queryable = pool()): Promise<{ keyId: KeyId; key: string }> {
  const clear = generateKey();
  const keyId = newKeyId();
  const { prefix, last4 } = keyDisplay(clear);
  await database.query(
    `INSERT INTO api_key (id, account_id, hash, prefix, last4, name, expires_at, cap_nano_usd, cap_period, allowed_models, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      keyId,
      key.accountId,
      hashKey(clear, pepper()),
      prefix,
      last4,
      key.name,
      key.expiresAt ?? null,
      key.cap?.nanoUsd ?? null,
      key.cap?.period ?? null,
      key.allowedModels ?? null,
      now(),
    ],
  );
  return { keyId, key: clear };
}

/** The key whose hash this is, or null. */
export async function findKeyByHash(hash: Buffer): Promise<KeyRecord | null> {
  const { rows } = await pool().query<KeyRecord>({
    name: "access_find_key",
    text: `SELECT k.id AS "keyId", k.account_id AS "accountId", k.state, a.state AS "accountState", k.expires_at AS "expiresAt",
             k.allowed_models AS "allowedModels", a.rate_per_minute AS "ratePerMinute", a.concurrency
           FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.hash = $1`,
    values: [hash],
  });
  return rows[0] ?? null;
}

/** Sets a key's state. Revoked is final. Returns false when the account has no such key, or it is revoked. */
export async function setKeyState(accountId: AccountId, keyId: KeyId, state: "active" | "paused" | "revoked"): Promise<boolean> {
  const { rowCount } = await pool().query(
    `UPDATE api_key SET state = $3, revoked_at = CASE WHEN $3 = 'revoked' THEN $4::timestamptz END
     WHERE id = $2 AND account_id = $1 AND state <> 'revoked'`,
    [accountId, keyId, state, now()],
  );
  return rowCount === 1;
}

/** Gives a key another name. Returns false when the account has no such key, or it is revoked. */
export async function renameKey(accountId: AccountId, keyId: KeyId, name: string): Promise<boolean> {
  const { rowCount } = await pool().query("UPDATE api_key SET name = $3 WHERE id = $2 AND account_id = $1 AND state <> 'revoked'", [
    accountId,
    keyId,
    name,
  ]);
  return rowCount === 1;
}

/** The period of a cap that begins to count now, though its key may have been used before. */
export interface OpenedPeriod {
  period: CapPeriod;
  periodStart: Date;
}

/**
 * Replaces a key's limits. `opened` is the period that the new cap counts in, when that was not counted before: in the same
 * transaction the ledger must be told. Null when the account has no such key, or it is revoked.
 */
export async function setKeyLimits(
  { accountId, keyId }: { accountId: AccountId; keyId: KeyId },
  { expiresAt, cap, allowedModels }: KeyLimits,
  transaction: Queryable,
): Promise<{ opened: OpenedPeriod | null } | null> {
  const { rows } = await transaction.query<{ before: CapPeriod | null; start: Date | null }>(
    `UPDATE api_key k SET expires_at = CASE WHEN $8 THEN k.expires_at ELSE $3 END, cap_nano_usd = $4, cap_period = $5, allowed_models = $6
     FROM (SELECT id, cap_period FROM api_key WHERE id = $2 AND account_id = $1 AND state <> 'revoked' FOR UPDATE) old
     WHERE k.id = old.id RETURNING old.cap_period AS before, access_cap_period_start(k.cap_period, $7) AS start`,
    [
      accountId,
      keyId,
      expiresAt === "keep" ? null : expiresAt,
      cap?.nanoUsd ?? null,
      cap?.period ?? null,
      allowedModels,
      now(),
      expiresAt === "keep",
    ],
  );
  const [row] = rows;
  if (!row) return null;
  const opened = cap && row.start && row.before !== cap.period ? { period: cap.period, periodStart: row.start } : null;
  return { opened };
}

/**
 * How many keys of the account are not revoked. The account stays locked until the transaction ends, so that two who create
 * a key at once count one after the other.
 */
export async function countLiveKeys(accountId: AccountId, transaction: Transaction): Promise<number> {
  await transaction.query("SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE", [accountId]);
  const { rows } = await transaction.query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM api_key WHERE account_id = $1 AND state <> 'revoked'",
    [accountId],
  );
  return rows[0]?.count ?? 0;
}
