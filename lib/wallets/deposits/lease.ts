// The lease on a chain: of any number of watchers one works at a time. A watcher that was paused, and whose lease went to
// another meanwhile, can write nothing more: each of its transactions names the fence that it was given.

import { pool } from "@/lib/db/pool";
import { inTransaction, type Transaction } from "@/lib/db/prisma";

export interface Lease {
  chain: string;
  holder: string;
  /** Another number each time the lease changes hands. */
  fence: bigint;
  seconds: number;
}

/** Another watcher has the lease now; whoever catches this stops what it was doing. */
export class LeaseLost extends Error {
  constructor({ chain, holder }: Lease) {
    super(`The lease on ${chain} is no longer that of ${holder}.`);
    this.name = "LeaseLost";
  }
}

/** Takes or renews the lease for `seconds`; null while another holder has it. */
export async function takeLease(wanted: Omit<Lease, "fence">): Promise<Lease | null> {
  const { rows } = await pool().query<{ fence: bigint | null }>("SELECT wallets_take_lease($1, $2, $3) AS fence", [
    wanted.chain,
    wanted.holder,
    wanted.seconds,
  ]);
  const fence = rows[0]?.fence ?? null;
  return fence === null ? null : { ...wanted, fence };
}

/**
 * Runs `work` in one transaction, during which nobody else can take the lease; it is renewed with it.
 * @throws LeaseLost, and what `work` throws; nothing of it is written then
 */
export function underLease<T>(lease: Lease, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(async (transaction) => {
    const { rows } = await transaction.query<{ kept: boolean }>("SELECT wallets_keep_lease($1, $2, $3) AS kept", [
      lease.chain,
      lease.fence,
      lease.seconds,
    ]);
    if (rows[0]?.kept !== true) throw new LeaseLost(lease);
    return work(transaction);
  });
}

/** Gives the lease back, so that another watcher need not wait until it has lapsed. */
export async function releaseLease(chain: string, holder: string): Promise<void> {
  await pool().query("UPDATE watch_lease SET until = clock_timestamp() WHERE chain = $1 AND holder = $2", [chain, holder]);
}
