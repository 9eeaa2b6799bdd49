// Accounts: an owner, and the limits that were agreed with them.

import type { PoolClient } from "pg";
import { now } from "@/lib/base/clock";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";

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
