// Accounts: an owner, and the limits that were agreed with them.

import type { PoolClient } from "pg";
import { now } from "@/lib/base/clock";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import type { Transaction } from "@/lib/db/prisma";

interface AccountLimits {
  ratePerMinute: number;
  concurrency: number;
}

/** Creates an account; `limits` only where they differ from the service's. */
export async function createAccount(limits?: AccountLimits, client: Pick<PoolClient, "query"> = pool()): Promise<AccountId> {
  const id = newAccountId();
  await client.query("INSERT INTO account (id, rate_per_minute, concurrency, created_at) VALUES ($1, $2, $3, $4)", [
    id,
    limits?.ratePerMinute ?? null,
    limits?.concurrency ?? null,
    now(),
  ]);
  return id;
}

/** The limits that were agreed with this account; null where they are the service's. */
export async function readAgreedLimits(accountId: AccountId): Promise<{ [Limit in keyof AccountLimits]: AccountLimits[Limit] | null }> {
  const { rows } = await pool().query<AccountLimits>('SELECT rate_per_minute AS "ratePerMinute", concurrency FROM account WHERE id = $1', [
    accountId,
  ]);
  return rows[0] ?? { ratePerMinute: null, concurrency: null };
}

/** The balance below which the owner wants to be told, in nano-USD; null when they did not ask for it. */
export async function readLowBalance(accountId: AccountId): Promise<NanoUsd | null> {
  const { rows } = await pool().query<{ line: bigint | null }>("SELECT low_balance_nano_usd AS line FROM account WHERE id = $1", [
    accountId,
  ]);
  const line = rows[0]?.line ?? null;
  return line === null ? null : nanoUsd(line);
}

/** Sets that balance; null asks not to be told. */
export async function setLowBalance(accountId: AccountId, line: NanoUsd | null): Promise<void> {
  await pool().query("UPDATE account SET low_balance_nano_usd = $2 WHERE id = $1", [accountId, line]);
}

/** Lets the account spend nothing more, from the commit of `transaction` on; its owner can still look at it. */
export async function freezeAccount(accountId: AccountId, transaction: Transaction): Promise<void> {
  await transaction.query("UPDATE account SET state = 'frozen' WHERE id = $1 AND state <> 'frozen'", [accountId]);
}
