// What each key has spent: in the period that its cap counts, with what it holds there, and lately. Both are what the ledger
// wrote with the charges themselves.

import type { AccountId, KeyId } from "@/lib/base/ids";
import { type NanoUsd, ZERO_USD } from "@/lib/base/money";
import { pool, type Queryable } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { readChargeMark } from "./roll-up";
import { firstIdSince } from "./usage";

/** A key with the period that its cap counts now. */
export interface KeyPeriod {
  keyId: KeyId;
  period: string;
  periodStart: Date;
}

/** Nano-USD of one period; a hold must fit into the cap together with both. */
export interface PeriodSpend {
  spent: NanoUsd;
  held: NanoUsd;
}

/** What each key has spent and holds in its period; a key that has neither is not in the map. */
export async function readPeriodSpend(periods: readonly KeyPeriod[]): Promise<Map<KeyId, PeriodSpend>> {
  if (periods.length === 0) return new Map();
  const { rows } = await pool().query<PeriodSpend & { keyId: KeyId }>(
    `SELECT s.key_id AS "keyId", s.spent, s.held FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS k(id, period, start)
     JOIN key_spend s ON s.key_id = k.id AND s.period = k.period AND s.period_start = k.start WHERE s.spent > 0 OR s.held > 0`,
    [periods.map((key) => key.keyId), periods.map((key) => key.period), periods.map((key) => key.periodStart)],
  );
  return new Map(rows.map(({ keyId, ...spend }) => [keyId, spend]));
}

/**
 * What each of these keys of the account was charged from `since` on, nano-USD; a key without such a charge is not in the map.
 * It reads the account's charges of that time and no older ones: an account may have many years of them.
 */
export async function sumKeyCharges(accountId: AccountId, keyIds: readonly KeyId[], since: Date): Promise<Map<KeyId, NanoUsd>> {
  if (keyIds.length === 0) return new Map();
  const rows = await inTransaction(async (transaction) => {
    // One process of the server, as for usage: an account with a million charges must not take the others from requests.
    await transaction.query("SET LOCAL max_parallel_workers_per_gather = 0");
    const { rows } = await transaction.query<{ keyId: KeyId; spent: NanoUsd }>(
      `SELECT key_id AS "keyId", sum(input_cost + output_cost)::bigint AS spent FROM charge
       WHERE account_id = $1 AND request_id >= $2 AND at >= $3 AND key_id = ANY ($4) GROUP BY key_id`,
      [accountId, firstIdSince(since.getTime()), since, keyIds],
    );
    return rows;
  });
  return new Map(rows.map(({ keyId, spent }) => [keyId, spent]));
}

/** What a key's charges since a period's start come to, up to a charge. */
export interface CountedSpend {
  periodStart: Date;
  spent: NanoUsd;
  /** The sequence number of that charge. */
  upTo: bigint;
}

/** A settlement may wait for a database that is away, and its request's id is older by then. */
const LONGEST_WAIT_MS = 2 * 86_400_000;

/** Counts what a key has spent since its period began, without any lock: of an account with a million charges it takes a second. */
export async function countKeySpend(accountId: AccountId, { keyId, periodStart }: Omit<KeyPeriod, "period">): Promise<CountedSpend> {
  const upTo = await readChargeMark();
  const { rows } = await pool().query<{ spent: NanoUsd }>(
    `SELECT coalesce(sum(input_cost + output_cost), 0)::bigint AS spent FROM charge
     WHERE account_id = $1 AND key_id = $2 AND request_id >= $3 AND at >= $4 AND seq <= $5`,
    [accountId, keyId, firstIdSince(periodStart.getTime() - LONGEST_WAIT_MS), periodStart, upTo],
  );
  return { periodStart, spent: rows[0]?.spent ?? ZERO_USD, upTo };
}

/**
 * Begins to count a key's spending in this period, from the charges and the open holds that it has in it already. For a cap
 * that is set, or gets another period, after the key was made; in the transaction that sets it. `counted` was read before it.
 */
export async function openKeySpend(
  accountId: AccountId,
  { keyId, period, periodStart }: KeyPeriod,
  counted: CountedSpend,
  transaction: Queryable,
): Promise<void> {
  // A new period may have begun in between: its few charges are counted now, still before the account is locked.
  const isOfThis = counted.periodStart.getTime() === periodStart.getTime();
  const { spent, upTo } = isOfThis ? counted : await countKeySpend(accountId, { keyId, periodStart });
  await transaction.query("SELECT ledger_open_key_spend($1, $2, $3, $4, $5, $6)", [accountId, keyId, period, periodStart, spent, upTo]);
}
