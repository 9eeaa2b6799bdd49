// Two transactions on one account: one locks it and changes what the other, which waits for the lock, depends on.

import type { PoolClient } from "pg";
import { expect } from "vitest";
import { capPeriodStart } from "@/lib/access/cap-period";
import type { CapPeriod } from "@/lib/access/keys";
import { now, nowMs } from "@/lib/base/clock";
import { type AccountId, type KeyId, newRequestId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import { whileHeld } from "@/lib/db/testing/held-lock";
import { type CountedSpend, countKeySpend, type KeyPeriod } from "../key-spend";
import type { HoldRequest, SettleRequest } from "./model-types";

/** Lets another transaction lock the account and `change` something, runs `request` into that lock, and commits. */
export const whileWaiting = <T>(account: AccountId, change: (on: PoolClient) => Promise<unknown>, request: () => Promise<T>): Promise<T> =>
  whileHeld(["SELECT ledger_lock_accounts(ARRAY[$1])", account], request, change);

/** A hold request that expires after a minute. */
export const holdRequest = (account: AccountId, key: KeyId | null, ceiling: number): HoldRequest => ({
  request: newRequestId(),
  account,
  key,
  ceiling: BigInt(ceiling),
  deadlineMs: nowMs() + 60_000,
  idempotency: null,
  hash: null,
});

/** A charge of 3 and 4 for a placed hold. */
export const chargeRequest = ({ request, account, key, ceiling, idempotency }: HoldRequest): SettleRequest => ({
  request,
  account,
  key,
  ceiling,
  inputCost: 3n,
  outputCost: 4n,
  charges: true,
  idempotency,
  body: null,
});

/** As the owner's page for keys does: counts what the key has spent now, and resolves to a function that sets the cap in a transaction. */
export async function setCap(
  accountId: AccountId,
  keyId: KeyId,
  cap: number,
  period: CapPeriod,
): Promise<(on: PoolClient) => Promise<void>> {
  const count = () => countKeySpend(accountId, { keyId, periodStart: capPeriodStart(period, now()) });
  const counted = await count();
  return async (on) => {
    let outcome = await limitKey(accountId, { keyId, cap, period }, counted, on);
    if (outcome === "recount") outcome = await limitKey(accountId, { keyId, cap, period }, await count(), on);
    expect(outcome).toBe("limited");
  };
}

/** Sets a cap, with the spend of the key's period as counted before. */
export async function limitKey(
  accountId: AccountId,
  { keyId, cap, period }: { keyId: KeyId; cap: number; period: CapPeriod },
  counted: CountedSpend,
  on: Pick<PoolClient, "query">,
): Promise<string> {
  const { rows } = await on.query<{ outcome: string }>(
    "SELECT console_limit_key($1, $2, NULL, true, $3, $4, NULL, $5, $6, $7, $8) AS outcome",
    [accountId, keyId, cap, period, counted.spent, counted.periodStart, counted.upTo, now()],
  );
  return rows[0]?.outcome ?? "";
}

/** Opens the count of a key's spend in a period, as the function that sets the cap does. */
export async function openKeySpend(
  accountId: AccountId,
  { keyId, period, periodStart }: KeyPeriod,
  { spent, upTo }: CountedSpend,
  on: Pick<PoolClient, "query">,
): Promise<void> {
  await on.query("SELECT ledger_open_key_spend($1, $2, $3, $4, $5, $6)", [accountId, keyId, period, periodStart, spent, upTo]);
}

/** What a key has spent and holds, by period. */
export const spendsOf = async (key: KeyId) =>
  (await pool().query("SELECT period, spent, held FROM key_spend WHERE key_id = $1 ORDER BY period", [key])).rows;
