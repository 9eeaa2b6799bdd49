// The lookup of a key on a request's hot path: one prepared statement, and the record that is kept in memory.

import type { AccountId, KeyId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";

/** prompt: spend; read: balance, deposits, and the key's own usage; account: read usage and events of the whole account. */
export type KeyScope = "prompt" | "read" | "account";

/** The part of a key that the request path needs. The hold decides state and cap again. */
export interface KeyRecord {
  keyId: KeyId;
  accountId: AccountId;
  state: "active" | "paused" | "revoked";
  accountState: "open" | "frozen";
  expiresAt: Date | null;
  allowedModels: readonly string[] | null;
  clipMinTokens: number | null;
  scopes: readonly KeyScope[];
  /** In CIDR form; requests from elsewhere are refused. Empty: any. */
  networks: readonly string[];
  /** When this secret stops working, since the key was given a new one; null for the key's current secret. */
  secretUntil: Date | null;
  /** Limits of this account that differ from the service's. */
  ratePerMinute: number | null;
  concurrency: number | null;
}

/** The key whose secret, or whose secret before the last rotation, has this hash; or null. */
export async function findKeyByHash(hash: Buffer): Promise<KeyRecord | null> {
  const { rows } = await pool().query<KeyRecord>({
    name: "access_find_key_2",
    text: `SELECT k.id AS "keyId", k.account_id AS "accountId", k.state, a.state AS "accountState", k.expires_at AS "expiresAt",
             k.allowed_models AS "allowedModels", k.clip_min_tokens AS "clipMinTokens", k.scopes, k.networks,
             CASE WHEN k.hash <> $1 THEN k.old_until END AS "secretUntil", a.rate_per_minute AS "ratePerMinute", a.concurrency
           FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.hash = $1 OR k.old_hash = $1`,
    values: [hash],
  });
  return rows[0] ?? null;
}

/** Replaces the hash of a key's secret, the current or the old one; false when no key has it. */
export async function replaceHash(before: Buffer, after: Buffer): Promise<boolean> {
  const { rowCount } = await pool().query(
    `UPDATE api_key SET hash = CASE WHEN hash = $1 THEN $2 ELSE hash END, old_hash = CASE WHEN old_hash = $1 THEN $2 ELSE old_hash END
     WHERE hash = $1 OR old_hash = $1`,
    [before, after],
  );
  return rowCount === 1;
}
