// An owner's keys as a list shows them: never the key itself, and never a key of another account.

import { now } from "@/lib/base/clock";
import type { AccountId, KeyId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { capPeriodEnd } from "./cap-period";
import type { CapPeriod } from "./keys";

/** What a call with the key would meet now; a paused key that is also out of date is expired. */
export type KeyState = "active" | "paused" | "expired" | "revoked";

export interface KeyLine {
  keyId: KeyId;
  name: string;
  prefix: string;
  last4: string;
  state: KeyState;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** `periodEnd` null: it never starts anew. */
  cap: { nanoUsd: NanoUsd; period: CapPeriod; periodStart: Date; periodEnd: Date | null } | null;
  /** Null: every model. */
  allowedModels: readonly string[] | null;
}

interface KeyRow extends Omit<KeyLine, "cap"> {
  capNanoUsd: NanoUsd | null;
  capPeriod: CapPeriod | null;
  periodStart: Date | null;
}

const columns = `id AS "keyId", name, prefix, last4,
  CASE WHEN state = 'revoked' THEN state WHEN expires_at <= $2 THEN 'expired' ELSE state END AS state,
  created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
  cap_nano_usd AS "capNanoUsd", cap_period AS "capPeriod", access_cap_period_start(cap_period, $2) AS "periodStart",
  allowed_models AS "allowedModels"`;

/** The account's keys that are not revoked, the newest first. */
export async function listLiveKeys(accountId: AccountId): Promise<KeyLine[]> {
  const { rows } = await pool().query<KeyRow>(
    `SELECT ${columns} FROM api_key WHERE account_id = $1 AND state <> 'revoked' ORDER BY id DESC`,
    [accountId, now()],
  );
  return rows.map(readRow);
}

/** Revoked keys, the newest first; `before` is the last key of the page before. One more than the page holds when there are more. */
export async function listRevokedKeys(accountId: AccountId, limit: number, before: string | null): Promise<KeyLine[]> {
  const { rows } = await pool().query<KeyRow>(
    `SELECT ${columns} FROM api_key WHERE account_id = $1 AND state = 'revoked' AND id < coalesce($3, '~') ORDER BY id DESC LIMIT $4`,
    [accountId, now(), before, limit + 1],
  );
  return rows.map(readRow);
}

function readRow({ capNanoUsd, capPeriod, periodStart, ...line }: KeyRow): KeyLine {
  const cap =
    capNanoUsd === null || capPeriod === null || periodStart === null
      ? null
      : { nanoUsd: capNanoUsd, period: capPeriod, periodStart, periodEnd: capPeriodEnd(capPeriod, periodStart) };
  return { ...line, cap };
}
