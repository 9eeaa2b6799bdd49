// Arrivals: money that came in with a transaction of a chain, and whose it is now. It is spendable at once; until its block is final
// it must not leave, and in reserves it counts only as far up as they are read.

import { pool, type Queryable } from "@/lib/db/pool";

interface Above {
  /** The chain's ledger account. */
  funding: string;
  /** A final block, on Solana a slot. */
  height: number;
}

/** PostgreSQL's own. */
const MAX_INTEGER = 2_147_483_647;

/** nano-USD by account that came in over a chain and is not in a final block up to `height`, spent or not. */
export async function listUnseenArrivals(snapshot: Queryable, { funding, height }: Above): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await snapshot.query<{ accountId: string; amount: bigint }>(
    `SELECT a.account_id AS "accountId", sum(a.amount)::bigint AS amount FROM arrival a
     WHERE a.funding_id = $1 AND (a.finalized = false OR (a.finalized AND a.block > $2)) GROUP BY a.account_id`,
    [funding, Math.min(height, MAX_INTEGER)],
  );
  return new Map(rows.map(({ accountId, amount }) => [accountId, amount]));
}

/** Whether anything ever came in over a chain in this way. */
export async function hasArrivals(funding: string): Promise<boolean> {
  const { rows } = await pool().query<{ has: boolean }>("SELECT EXISTS (SELECT 1 FROM arrival WHERE funding_id = $1) AS has", [funding]);
  return rows[0]?.has === true;
}
