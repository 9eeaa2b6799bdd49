// API keys in the database: making, finding, changing. Every change reaches all processes by the notice that the tables'
// triggers send (see key-cache.ts).

import type { PoolClient } from "pg";
import { now } from "@/lib/base/clock";
import { type AccountId, type KeyId, newKeyId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { generateKey, hashKey, keyDisplay } from "./key-format";
import { pepper } from "./pepper";

export type CapPeriod = "day" | "week" | "month" | "total";

interface NewKey {
  accountId: AccountId;
  name: string;
  expiresAt?: Date;
  cap?: { nanoUsd: NanoUsd; period: CapPeriod };
  allowedModels?: readonly string[];
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
export async function createKey(key: NewKey, client: Pick<PoolClient, "query"> = pool()): Promise<{ keyId: KeyId; key: string }> {
  const clear = generateKey();
  const keyId = newKeyId();
  const { prefix, last4 } = keyDisplay(clear);
  await client.query(
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
