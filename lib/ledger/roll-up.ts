// Revenue and the operator's losses. Requests do not touch these accounts, since every request would queue for the same row; this job adds
// the charges to them.

import { prisma } from "@/lib/db/prisma";

/** Sequence numbers per statement: a few tenths of a second. */
const SLICE = 50_000;

/** Rolls up everything committed so far, in slices. Running it again, or in two processes at once, changes nothing more. */
export async function rollUpRevenue(): Promise<void> {
  // A separate transaction: its lock waits for the batches under way, and must not be held while charges are summed.
  const mark = await readChargeMark();
  for (let reached = -1n; reached < mark; ) {
    const rows = await prisma().$queryRaw<{ reached: bigint }[]>`SELECT ledger_roll_up(${mark}::bigint, ${SLICE}::bigint) AS reached`;
    reached = rows[0]?.reached ?? mark;
  }
}

/** The sequence number up to which every charge is committed. */
export async function readChargeMark(): Promise<bigint> {
  const rows = await prisma().$queryRaw<{ mark: bigint }[]>`SELECT ledger_roll_up_mark() AS mark`;
  return rows[0]?.mark ?? 0n;
}
