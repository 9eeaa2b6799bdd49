// Deposits written down as a watcher finds them, a range's at once. Its lease is locked meanwhile: nobody else writes its chain's.

import { now } from "@/lib/base/clock";
import type { Transaction } from "@/lib/db/prisma";

/** A transfer to one of our addresses, as it is stored. */
export interface FoundDeposit {
  id: string;
  accountId: string;
  address: string;
  /** nano-USD. */
  amount: bigint;
  block: number;
  blockHash: string;
  transaction: string;
  index: number;
}

/** Writes down transfers that were found; a deposit that is known only moves to where it is now. */
export async function recordDeposits(chain: string, found: readonly FoundDeposit[], transaction: Transaction): Promise<void> {
  if (found.length === 0) return;
  const rows = JSON.stringify(found.map((deposit) => ({ ...deposit, amount: deposit.amount.toString() })));
  // One statement for thousands: createMany takes ten times as long, and cannot move a known one.
  const written = await transaction.$queryRaw<{ accountId: string }[]>`
    INSERT INTO deposit AS d (id, chain, account_id, address, amount, block, block_hash, transaction, place, state, seen_at)
      SELECT f.id, ${chain}, f."accountId", f.address, f.amount, f.block, f."blockHash", f.transaction, f.index, 'seen', ${now()}::timestamptz
      FROM json_to_recordset(${rows}::json) AS f(id text, "accountId" text, address text, amount bigint, block integer, "blockHash" text,
        transaction text, index integer)
    ON CONFLICT (id) DO UPDATE SET
      block = excluded.block, block_hash = excluded.block_hash, place = excluded.place, missing_since = NULL,
      finalized = d.finalized AND d.chain = 'solana', -- a block of Base may have become another one, which is not final yet
      state = CASE d.state WHEN 'reversed' THEN 'seen' ELSE d.state END,
      credited_at = CASE d.state WHEN 'reversed' THEN NULL ELSE d.credited_at END,
      reversed_at = NULL
    WHERE d.block_hash <> excluded.block_hash OR d.missing_since IS NOT NULL OR d.state = 'reversed'
    RETURNING d.account_id AS "accountId"`;
  await notifyDeposits(written, transaction);
}

/** Notifies the readers of these accounts' deposits, once the transaction commits. */
export async function notifyDeposits(changed: readonly { accountId: string }[], transaction: Transaction): Promise<void> {
  const accountIds = [...new Set(changed.map(({ accountId }) => accountId))];
  if (accountIds.length === 0) return;
  // One statement for thousands of accounts.
  await transaction.$executeRaw`SELECT pg_notify('deposits', a.id) FROM unnest(${accountIds}::text[]) AS a(id)`;
}
