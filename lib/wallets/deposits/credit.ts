// Credits and reverses deposits: a deposit becomes its owner's money once its block is safe, and is reversed when the block leaves the
// chain. State and ledger change in one SQL call, so that neither a crash nor a repetition credits twice.

import type { Hex } from "viem";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { findBlockOf } from "@/lib/chains/evm/blocks";
import { EvmFailure } from "@/lib/chains/evm/failure";
import type { Head } from "@/lib/chains/evm/head";
import type { EvmNode } from "@/lib/chains/evm/node";
import { callEach, type EvmNodes } from "@/lib/chains/evm/nodes";
import { prisma } from "@/lib/db/prisma";
import type { WatchedAddress } from "./addresses";
import { confirmDeposits, type UnconfirmedDeposit } from "./cross-node-check";
import { MINIMUM_DEPOSIT } from "./deposit";
import { type Lease, LeaseLost, underLease } from "./lease";
import { recordHead } from "./scan";

const MAX_AT_ONCE = 1_000;
const BLOCKS_AT_ONCE = 8;
/** Range ends this far below the final block are kept: a local chain can revert even final blocks. */
const KEPT_BELOW_FINAL = 64;

interface Due extends UnconfirmedDeposit {
  blockHash: string;
}

export type Credited = { count: number } | { brokenBlock: number };

/** The chain state that deposits are checked against. */
interface Sight {
  head: Head;
  nodes: EvmNodes;
  addresses: ReadonlyMap<Hex, WatchedAddress>;
}

/**
 * Credits due deposits at `head`, in transactions of up to a thousand.
 * @returns how many were credited or kept as too small; or the lowest block that is no longer on the chain, with nothing of its batch
 * credited
 * @throws LeaseLost, EvmFailure
 */
export async function creditDue(lease: Lease, { head, nodes, addresses }: Sight): Promise<Credited> {
  let count = 0;
  for (;;) {
    const due = await findDue(lease.chain, head.safe.number);
    if (due.length === 0) return { count };
    const broken = await findBroken(due, head, nodes);
    if (broken !== null) return { brokenBlock: broken };
    const shown = await confirmDeposits(due, addresses, nodes);
    const credited = await creditDeposits(
      lease,
      shown.map(({ id }) => id),
    );
    count += credited;
    if (credited === 0 || due.length < MAX_AT_ONCE) return { count };
  }
}

function findDue(chain: string, safe: number): Promise<Due[]> {
  return prisma().deposit.findMany({
    where: { chain, finalized: false, block: { lte: safe }, state: { in: ["seen", "confirming"] }, missingSince: null },
    orderBy: [{ block: "asc" }, { index: "asc" }],
    take: MAX_AT_ONCE,
    select: { id: true, block: true, blockHash: true, address: true, transaction: true },
  });
}

/**
 * The lowest block of `due` that is no longer on the chain, according to every node that has the head's safe block: credits after it are
 * taken back unless their deposits are found again. The cross-node check decides on deposits that only some nodes show.
 */
async function findBroken(due: readonly Due[], { safe }: Head, nodes: EvmNodes): Promise<number | null> {
  const blocks = [...new Set(due.map(({ block }) => block))].sort((one, other) => one - other);
  const broken = await callEach(nodes, async (node) => {
    if ((await hashOf(node, safe.number)) !== safe.hash) throw new EvmFailure("moved", `${node.name}: the safe block is another one now`);
    const hashes = new Map<number, string>();
    for (let first = 0; first < blocks.length; first += BLOCKS_AT_ONCE) {
      const some = blocks.slice(first, first + BLOCKS_AT_ONCE);
      await Promise.all(some.map(async (block) => hashes.set(block, await hashOf(node, block))));
    }
    return due.find(({ block, blockHash }) => hashes.get(block) !== blockHash)?.block ?? null;
  });
  if (broken.length < nodes.quorum) throw new EvmFailure("moved", `only ${broken.length} nodes have the safe block`);
  const known = broken.filter((block) => block !== null);
  return known.length === broken.length ? Math.max(...known) : null;
}

async function hashOf(node: EvmNode, number: number): Promise<string> {
  const block = await findBlockOf(node, number);
  if (!block) throw new EvmFailure("behind", `${node.name}: has no block ${number}`);
  return block.hash;
}

/**
 * Credits these deposits in one commit, which checks and renews the lease; already credited ones do not change.
 * @returns how many were credited or kept as too small
 * @throws LeaseLost; nothing is written then
 */
export async function creditDeposits(lease: Lease, ids: readonly string[]): Promise<number> {
  const { chain, fence, seconds } = lease;
  const [answer] = await prisma().$queryRaw<{ count: number | null }[]>`
    SELECT wallets_credit_deposits(${chain}, ${fence}, ${seconds}, ${ids}::text[], ${MINIMUM_DEPOSIT}, ${now()}::timestamptz) AS count`;
  const count = answer?.count ?? null;
  if (count === null) throw new LeaseLost(lease);
  return count;
}

export interface Reversed {
  accountId: AccountId;
  /** The amount already spent, which the operator bears, in nano-USD. The account is frozen when it is above zero. */
  lost: NanoUsd;
}

/**
 * Reverses deposits missing from a chain that was read to its head, in one commit, which checks and renews the lease.
 * @returns one entry per deposit
 * @throws LeaseLost; nothing is written then
 */
export async function reverseMissing(lease: Lease, safeBlock: number): Promise<Reversed[]> {
  const { chain, fence, seconds } = lease;
  const [answer] = await prisma().$queryRaw<{ reversed: { accountId: AccountId; lost: string }[] | null }[]>`
    SELECT wallets_reverse_missing(${chain}, ${fence}, ${seconds}, ${safeBlock}, ${now()}::timestamptz) AS reversed`;
  const reversed = answer?.reversed ?? null;
  if (reversed === null) throw new LeaseLost(lease);
  return reversed.map(({ accountId, lost }) => ({ accountId, lost: nanoUsd(BigInt(lost)) }));
}

/**
 * Reverses deposits missing from a chain that was read to its head, then records the head and marks final deposits: a process that dies in
 * between leaves the head to the next round. The operator bears amounts already spent.
 * @returns how many deposits were reversed
 * @throws LeaseLost
 */
export async function settleHead(lease: Lease, { latest, safe, finalized }: Head): Promise<number> {
  const reversed = await reverseMissing(lease, safe.number);
  for (const { accountId, lost } of reversed) {
    log()[lost > 0n ? "error" : "warn"]({ accountId, lostNanoUsd: lost.toString() }, "a deposit left its chain and was reversed");
    metrics().operatorLossNanoUsd.inc({ reason: "reversed_deposit" }, Number(lost));
  }
  const heights = { latest: latest.number, safe: safe.number, finalized: finalized.number };
  await underLease(lease, (transaction) => recordHead(lease.chain, heights, finalized.number - KEPT_BELOW_FINAL, transaction));
  return reversed.length;
}
