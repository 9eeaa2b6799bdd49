// Arrivals: money that came in with a transaction on a chain, and the account that has it now. It is spendable at once. Until its block
// is final it must not leave, and reserves count it only up to the height at which they read the chain.

import { type Database, prisma } from "@/lib/db/prisma";

interface Above {
  /** The chain's ledger account. */
  funding: string;
  /** A final block; on Solana a slot. */
  height: number;
}

/** The maximum of PostgreSQL's integer. */
const MAX_INTEGER = 2_147_483_647;

/** By account: nano-USD that came in over a chain and is not in a final block up to `height`, spent or not. */
export async function listUnseenArrivals(snapshot: Database, { funding, height }: Above): Promise<ReadonlyMap<string, bigint>> {
  const isAbove = { finalized: true, block: { gt: Math.min(height, MAX_INTEGER) } };
  const unseen = await snapshot.arrival.groupBy({
    by: ["accountId"],
    where: { fundingId: funding, OR: [{ finalized: false }, isAbove] },
    _sum: { amount: true },
  });
  return new Map(unseen.map(({ accountId, _sum }) => [accountId, _sum.amount ?? 0n]));
}

/** Whether the chain with this funding account has any arrival. */
export async function hasArrivals(funding: string): Promise<boolean> {
  return (await prisma().arrival.findFirst({ where: { fundingId: funding }, select: { fundingId: true } })) !== null;
}
