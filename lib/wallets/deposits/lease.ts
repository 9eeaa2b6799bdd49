// The lease on a chain: of any number of watchers only one works at a time. A watcher that was paused and lost its lease meanwhile can no
// longer write: each of its transactions checks the fence it got.

import { inTransaction, prisma, type Transaction } from "@/lib/db/prisma";

export interface Lease {
  chain: string;
  holder: string;
  /** Changes each time the lease changes hands. */
  fence: bigint;
  seconds: number;
}

/** Another watcher has the lease; the round ends. */
export class LeaseLost extends Error {
  constructor({ chain, holder }: Lease) {
    super(`The lease on ${chain} is no longer that of ${holder}.`);
    this.name = "LeaseLost";
  }
}

/** Takes or renews the lease for `seconds`; null while another holder has it. */
export async function takeLease(wanted: Omit<Lease, "fence">): Promise<Lease | null> {
  const { chain, holder, seconds } = wanted;
  // By the database's clock: the clocks of two watchers may differ by more than a lease lasts.
  const [taken] = await prisma().$queryRaw<{ fence: bigint }[]>`
    INSERT INTO watch_lease AS l (chain, holder, fence, until)
      VALUES (${chain}, ${holder}, 1, clock_timestamp() + make_interval(secs => ${seconds}))
    ON CONFLICT (chain) DO UPDATE SET holder = excluded.holder, until = excluded.until,
      fence = CASE WHEN l.holder = excluded.holder AND l.until > clock_timestamp() THEN l.fence ELSE l.fence + 1 END
    WHERE l.holder = excluded.holder OR l.until <= clock_timestamp()
    RETURNING l.fence`;
  return taken ? { ...wanted, fence: taken.fence } : null;
}

/**
 * Runs `work` in one transaction, which renews the lease and during which no other watcher can take it.
 * @throws LeaseLost, and what `work` throws; nothing of it is written then
 */
export function underLease<T>(lease: Lease, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(async (transaction) => {
    // The same SQL function that crediting and reversing call.
    const [lock] = await transaction.$queryRaw<{ isKept: boolean }[]>`
      SELECT wallets_keep_lease(${lease.chain}, ${lease.fence}, ${lease.seconds}) AS "isKept"`;
    if (lock?.isKept !== true) throw new LeaseLost(lease);
    return work(transaction);
  });
}

/** Renews the lease until `work` is done, which may take longer than the lease lasts. Each call that `work` makes has its own time limit. */
export async function whileKeeping<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  let renewing: Promise<unknown> = Promise.resolve();
  // Takes no new lease. If a renewal fails or is late, the next transaction under the lease finds out.
  const renew = () =>
    prisma().$queryRaw`SELECT wallets_keep_lease(${lease.chain}, ${lease.fence}, ${lease.seconds})`.catch(() => undefined);
  const timer = setInterval(
    () => {
      renewing = renew();
    },
    (lease.seconds * 1_000) / 3,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await renewing;
  }
}

/** Releases the lease, so that another watcher need not wait until it lapses. */
export async function releaseLease(chain: string, holder: string): Promise<void> {
  await prisma().watchLease.updateMany({ where: { chain, holder }, data: { until: new Date(0) } });
}
