// What an account calls its keys, so that a charge can say which of them made it.

import type { AccountId, KeyId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";

export interface KeyName {
  keyId: KeyId;
  name: string;
  isRevoked: boolean;
}

/** Every key that the account ever had, revoked ones too: their charges stay. The newest first. */
export async function listKeyNames(accountId: AccountId): Promise<KeyName[]> {
  const { rows } = await pool().query<KeyName>(
    `SELECT id AS "keyId", name, state = 'revoked' AS "isRevoked" FROM api_key WHERE account_id = $1 ORDER BY id COLLATE "C" DESC`,
    [accountId],
  );
  return rows;
}
