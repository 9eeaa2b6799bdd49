// How often the faucet has given to an account today. A gift takes its place before it is made, and gives it back when it was not:
// so any number of presses at once, in any number of processes, get no more than there are places.

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import type { FaucetChain } from "@/lib/console/faucet";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";

export interface Gift {
  accountId: AccountId;
  /** UTC, `2026-11-21`. */
  day: string;
  place: number;
}

/** Takes a place of today's `most`; null when none is free. */
export async function takePlace(accountId: AccountId, chain: FaucetChain, most: number): Promise<Gift | null> {
  const at = now();
  const day = at.toISOString().slice(0, 10);
  return inTransaction(async (transaction) => {
    await transaction.query("SELECT pg_advisory_xact_lock(hashtextextended('faucet of ' || $1, 0))", [accountId]);
    await transaction.query("DELETE FROM faucet_gift WHERE account_id = $1 AND day < $2", [accountId, day]);
    const { rows } = await transaction.query<{ place: number }>(
      `INSERT INTO faucet_gift (account_id, day, place, chain, asked_at)
       SELECT $1, $2, free.place, $3, $4 FROM generate_series(1, $5::int) AS free (place)
       WHERE NOT EXISTS (SELECT 1 FROM faucet_gift g WHERE g.account_id = $1 AND g.day = $2 AND g.place = free.place)
       ORDER BY free.place LIMIT 1
       RETURNING place`,
      [accountId, day, chain, at, most],
    );
    const [row] = rows;
    return row ? { accountId, day, place: row.place } : null;
  });
}

/** Notes that the chain has it. */
export async function notePlace({ accountId, day, place }: Gift, transaction: string): Promise<void> {
  await pool().query("UPDATE faucet_gift SET transaction = $4 WHERE account_id = $1 AND day = $2 AND place = $3", [
    ...[accountId, day, place],
    transaction,
  ]);
}

/** Nothing was given: the place is free again. */
export async function returnPlace({ accountId, day, place }: Gift): Promise<void> {
  await pool().query("DELETE FROM faucet_gift WHERE account_id = $1 AND day = $2 AND place = $3", [accountId, day, place]);
}
