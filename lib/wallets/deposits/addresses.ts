// The watched addresses on Base: all that were ever shown. Accounts cost nothing, so an address that nobody has seen is not asked about.

import type { Hex } from "viem";
import { processSingleton } from "@/lib/base/process-singleton";
import { prisma } from "@/lib/db/prisma";

export interface WatchedAddress {
  accountId: string;
  /** In its display form. */
  address: string;
  derivationIndex: number;
}

interface Known {
  addresses: Map<Hex, WatchedAddress>;
  /** Checksum of the table's rows at the last read. */
  sum: string;
  newest: Date;
}

const known = processSingleton<Known>("watched addresses", () => ({ addresses: new Map(), sum: "", newest: new Date(0) }));

/** More than the clock differences and commit delays of the processes that show addresses. */
const LATE_MS = 600_000;

/**
 * By lower-case address, as in logs. Read it after the head: an address shown later is paid in a later block. Reading a hundred thousand
 * rows in every round would keep this process busy, so only new rows are read.
 */
export async function readWatchedAddresses(): Promise<ReadonlyMap<Hex, WatchedAddress>> {
  const held = known();
  // Raw SQL: Prisma cannot sum a hash.
  const [wallets] = await prisma().$queryRaw<{ count: number; sum: string; newest: Date | null }[]>`
    SELECT count(*)::integer AS count, max(w.shown_at) AS newest,
      coalesce(sum(hashtextextended(w.account_id || ' ' || w.base_address, w.derivation_index)), 0)::text AS sum
    FROM custodial_wallet w WHERE w.shown_at IS NOT NULL`;
  const { count = 0, sum = "", newest = null } = wallets ?? {};
  if (sum === held.sum) return held.addresses;
  held.sum = ""; // until the read is complete
  const hasGrown = count > held.addresses.size;
  if (hasGrown) await readSince(new Date(held.newest.getTime() - LATE_MS));
  // Rows were deleted or changed.
  if (!hasGrown || count !== held.addresses.size) {
    held.addresses.clear();
    await readSince(new Date(0));
  }
  Object.assign(held, { sum, newest: newest ?? new Date(0) });
  return held.addresses;
}

async function readSince(shownAt: Date): Promise<void> {
  const wallets = await prisma().custodialWallet.findMany({
    where: { shownAt: { gte: shownAt } },
    select: { accountId: true, baseAddress: true, derivationIndex: true },
  });
  for (const { baseAddress, ...watched } of wallets)
    known().addresses.set(baseAddress.toLowerCase() as Hex, { ...watched, address: baseAddress });
}
