// Records the deposits that a watcher found, a whole range at once. The watcher's lease is locked meanwhile, so no other process writes
// deposits of that chain.

import { lockOwners } from "@/lib/access/absorption";
import { now } from "@/lib/base/clock";
import type { Transaction } from "@/lib/db/prisma";

/** A transfer to one of our addresses, in its stored form. */
export interface FoundDeposit {
  id: string;
  /** The account that the address was given to. */
  accountId: string;
  address: string;
  /** nano-USD. */
  amount: bigint;
  block: number;
  blockHash: string;
  transaction: string;
  index: number;
}

/**
 * Records found transfers; a known deposit only gets its current block. A deposit belongs to the account of its address, or to the account
 * that absorbed it. An absorption waits until this transaction has ended: either it sees the deposit, or the deposit sees it.
 */
export async function recordDeposits(chain: string, found: readonly FoundDeposit[], transaction: Transaction): Promise<void> {
  if (found.length === 0) return;
  const owners = await lockOwners(new Set(found.map(({ accountId }) => accountId)), transaction);
  const rows = JSON.stringify(
    found.map((deposit) => ({
      ...deposit,
      accountId: owners.get(deposit.accountId) ?? deposit.accountId,
      amount: deposit.amount.toString(),
    })),
  );
  // Raw SQL, one statement for thousands: createMany takes ten times as long, and cannot update a known deposit.
  await transaction.$executeRaw`
    INSERT INTO deposit AS d (id, chain, account_id, address, amount, block, block_hash, transaction, place, state, seen_at)
      SELECT f.id, ${chain}, f."accountId", f.address, f.amount, f.block, f."blockHash", f.transaction, f.index, 'seen', ${now()}::timestamptz
      FROM json_to_recordset(${rows}::json) AS f(id text, "accountId" text, address text, amount bigint, block integer, "blockHash" text,
        transaction text, index integer)
    ON CONFLICT (id) DO UPDATE SET
      block = excluded.block, block_hash = excluded.block_hash, place = excluded.place, missing_since = NULL,
      finalized = d.finalized AND d.chain = 'solana', -- on Base the block may have been replaced by one that is not final yet
      state = CASE d.state WHEN 'reversed' THEN 'seen' ELSE d.state END,
      credited_at = CASE d.state WHEN 'reversed' THEN NULL ELSE d.credited_at END,
      reversed_at = NULL
    WHERE d.block_hash <> excluded.block_hash OR d.missing_since IS NOT NULL OR d.state = 'reversed'`;
}
