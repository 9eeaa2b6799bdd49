// How far a chain has been read. The cursor moves in the same transaction that records the deposits before it, and the last block of each
// range is kept, so that a reorganisation is detected and walked back.

import { now } from "@/lib/base/clock";
import { prisma, type Transaction } from "@/lib/db/prisma";
import { openFundingAccount, openLiabilityAccount, openLossAccount } from "@/lib/ledger/accounts";
import { type Lease, underLease } from "./lease";
import { type FoundDeposit, recordDeposits } from "./record-deposits";

/** The last block of a range that was read. */
export interface ScanEnd {
  block: number;
  hash: string;
}

/** The kept range ends, newest first: the first is the cursor. None before the first range. */
export async function readScanEnds(chain: string): Promise<ScanEnd[]> {
  const ends = await prisma().chainScanEnd.findMany({ where: { chain }, orderBy: { block: "desc" } });
  return ends.map(({ block, blockHash }) => ({ block, hash: blockHash }));
}

/** Whether the chain's scan was opened. */
export async function isScanOpen(chain: string): Promise<boolean> {
  return (await prisma().chainScan.findUnique({ where: { chain }, select: { chain: true } })) !== null;
}

/** Opens the scan after block `end`, with the ledger accounts that deposits need; idempotent. */
export function openScan({ chain, ...lease }: Lease, { block, hash: blockHash }: ScanEnd): Promise<void> {
  return underLease({ chain, ...lease }, async (transaction) => {
    await openFundingAccount(`${chain}_chain`, transaction);
    await openLiabilityAccount("uncredited_deposits", transaction);
    await openLossAccount("deposit_losses", transaction);
    const heights = { latest: block, safe: block, finalized: block, checkedBlock: block, foreignBlock: block };
    const opened = await transaction.chainScan.createMany({ data: [{ chain, block, blockHash, ...heights }], skipDuplicates: true });
    if (opened.count === 1) await transaction.chainScanEnd.create({ data: { chain, block, blockHash } });
  });
}

/** Records the deposits found after `after` up to `end`. False, without writing, when the cursor is not at `after`. */
export function recordRange(lease: Lease, after: ScanEnd, end: ScanEnd, found: readonly FoundDeposit[]): Promise<boolean> {
  const { chain } = lease;
  return underLease(lease, async (transaction) => {
    const moved = await transaction.chainScan.updateMany({
      where: { chain, block: after.block, blockHash: after.hash },
      data: { block: end.block, blockHash: end.hash },
    });
    if (moved.count === 0) return false;
    await keepEnd(chain, end, transaction);
    await recordDeposits(chain, found, transaction);
    return true;
  });
}

async function keepEnd(chain: string, { block, hash: blockHash }: ScanEnd, transaction: Transaction): Promise<void> {
  const where = { chain_block: { chain, block } };
  await transaction.chainScanEnd.upsert({ where, create: { chain, block, blockHash }, update: { blockHash } });
}

/** Records the deposits that a rescan found up to `toBlock`; those that the first read found stay unchanged. */
export function recordRescan(lease: Lease, toBlock: number, found: readonly FoundDeposit[]): Promise<void> {
  const { chain } = lease;
  return underLease(lease, async (transaction) => {
    const moved = await transaction.chainScan.updateMany({
      where: { chain, checkedBlock: { lt: toBlock }, block: { gte: toBlock } },
      data: { checkedBlock: toBlock },
    });
    if (moved.count === 1) await recordDeposits(chain, found, transaction);
  });
}

/** Moves the cursor back to a kept end; deposits after it are missing until they are found again. */
export function walkBack(lease: Lease, { block, hash: blockHash }: ScanEnd): Promise<void> {
  const { chain } = lease;
  return underLease(lease, async (transaction) => {
    // Another round of the same holder may have walked back further meanwhile.
    if ((await transaction.chainScanEnd.count({ where: { chain, block, blockHash } })) === 0) return;
    await transaction.chainScanEnd.deleteMany({ where: { chain, block: { gt: block } } });
    await transaction.chainScan.updateMany({ where: { chain, checkedBlock: { gt: block } }, data: { checkedBlock: block } });
    await transaction.chainScan.updateMany({ where: { chain, foreignBlock: { gt: block } }, data: { foreignBlock: block } });
    await transaction.chainScan.update({ where: { chain }, data: { block, blockHash } });
    await transaction.foreignToken.deleteMany({ where: { chain, block: { gt: block } } });
    await transaction.deposit.updateMany({
      // Names both values, so that the index on chain, finalized and block is used.
      where: {
        chain,
        OR: [{ finalized: true }, { finalized: false }],
        block: { gt: block },
        state: { not: "reversed" },
        missingSince: null,
      },
      data: { missingSince: now(), finalized: false },
    });
  });
}

/** The heights of a chain's head. */
export interface HeadHeights {
  latest: number;
  safe: number;
  finalized: number;
}

/**
 * Records the head, and updates which deposits are confirming and which are final. Of the range ends below `keepFrom` only the highest is
 * kept.
 */
export async function recordHead(chain: string, head: HeadHeights, keepFrom: number, transaction: Transaction): Promise<void> {
  const { latest, finalized } = head;
  const moved = await transaction.chainScan.updateMany({ where: { chain, NOT: { ...head } }, data: { ...head } });
  if (moved.count === 0) return;
  await transaction.deposit.updateMany({
    where: { chain, finalized: false, state: "seen", block: { lt: latest } },
    data: { state: "confirming" },
  });
  await transaction.deposit.updateMany({
    where: { chain, finalized: false, block: { lte: finalized }, state: { in: ["credited", "below_minimum"] }, missingSince: null },
    data: { finalized: true },
  });
  await deleteEndsBelow(chain, keepFrom, transaction);
}

async function deleteEndsBelow(chain: string, keepFrom: number, transaction: Transaction): Promise<void> {
  const kept = await transaction.chainScanEnd.findFirst({ where: { chain, block: { lte: keepFrom } }, orderBy: { block: "desc" } });
  if (kept) await transaction.chainScanEnd.deleteMany({ where: { chain, block: { lt: kept.block } } });
}
