// The addresses on Base that are watched: all that were ever given.

import type { Hex } from "viem";
import { processSingleton } from "@/lib/base/process-singleton";
import { prisma } from "@/lib/db/prisma";

export interface WatchedAddress {
  accountId: string;
  /** As its owner sees it. */
  address: string;
  derivationIndex: number;
}

interface Known {
  addresses: Map<Hex, WatchedAddress>;
  /** What the table's rows came to when they were read. */
  sum: string;
  newest: Date;
}

const known = processSingleton<Known>("watched addresses", () => ({ addresses: new Map(), sum: "", newest: new Date(0) }));

/** Clocks of processes that give addresses differ by less, and so do the moments at which they commit. */
const LATE_MS = 600_000;

/**
 * By address in lower case, as logs have it. Read it after the head: an address that is shown later is paid in a later block.
 * A hundred thousand rows would keep this process busy at every round: only those are read that are not known.
 */
export async function readWatchedAddresses(): Promise<ReadonlyMap<Hex, WatchedAddress>> {
  const held = known();
  // Prisma cannot sum a hash.
  const [wallets] = await prisma().$queryRaw<{ count: number; sum: string; newest: Date | null }[]>`
    SELECT count(*)::integer AS count, max(w.created_at) AS newest,
      coalesce(sum(hashtextextended(w.account_id || ' ' || w.base_address, w.derivation_index)), 0)::text AS sum
    FROM custodial_wallet w`;
  const { count = 0, sum = "", newest = null } = wallets ?? {};
  if (sum === held.sum) return held.addresses;
  held.sum = ""; // until all of it is read
  const hasGrown = count > held.addresses.size;
  if (hasGrown) await readSince(new Date(held.newest.getTime() - LATE_MS));
  // Rows went, or are others than they were.
  if (!hasGrown || count !== held.addresses.size) {
    held.addresses.clear();
    await readSince(new Date(0));
  }
  Object.assign(held, { sum, newest: newest ?? new Date(0) });
  return held.addresses;
}

async function readSince(createdAt: Date): Promise<void> {
  const wallets = await prisma().custodialWallet.findMany({
    where: { createdAt: { gte: createdAt } },
    select: { accountId: true, baseAddress: true, derivationIndex: true },
  });
  for (const { baseAddress, ...watched } of wallets)
    known().addresses.set(baseAddress.toLowerCase() as Hex, { ...watched, address: baseAddress });
}
