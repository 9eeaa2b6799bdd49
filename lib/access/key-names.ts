// What an account calls its keys, so that a charge can say which of them made it. Revoked keys keep their names.

import type { AccountId, KeyId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";

export interface KeyName {
  keyId: KeyId;
  name: string;
  last4: string;
  isRevoked: boolean;
}

/** Those of `keyIds` that are or were the account's, the newest first. */
export async function listKeyNames(accountId: AccountId, keyIds: readonly string[]): Promise<KeyName[]> {
  if (keyIds.length === 0) return [];
  const { rows } = await pool().query<KeyName>(
    `SELECT id AS "keyId", name, last4, state = 'revoked' AS "isRevoked"
     FROM api_key WHERE account_id = $1 AND id = ANY($2::text[]) ORDER BY id COLLATE "C" DESC`,
    [accountId, keyIds],
  );
  return rows;
}

/** True once the account has made a key, whatever became of it. */
export async function hasMadeKey(accountId: AccountId): Promise<boolean> {
  const { rowCount } = await pool().query("SELECT 1 FROM api_key WHERE account_id = $1 LIMIT 1", [accountId]);
  return rowCount === 1;
}
