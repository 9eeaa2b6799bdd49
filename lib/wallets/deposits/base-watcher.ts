// The watcher of Base: each tick reads the chain from where the last one ended, whoever ran it, and credits what is safe. It
// can be stopped or killed anywhere: what is written is always a whole step.

import { randomBase62 } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { findBlock, findBlockOf } from "@/lib/chains/evm/blocks";
import { EvmFailure, isEvmFailure } from "@/lib/chains/evm/failure";
import { type Head, readHead } from "@/lib/chains/evm/head";
import { type EvmNodes, evmNodes } from "@/lib/chains/evm/nodes";
import { readWatchedAddresses } from "./addresses";
import { readBaseRange } from "./base-range";
import { creditDue, type Freeze, settleHead } from "./credit";
import { listForeignTokens } from "./foreign-tokens";
import { type Lease, LeaseLost, releaseLease, takeLease } from "./lease";
import { readAgain } from "./rescan";
import { openScan, readScanEnds, recordRange, type ScanEnd, walkBack } from "./scan";
import type { Watcher, WatchReport } from "./watcher";

export interface BaseWatcherOptions {
  freeze: Freeze;
  nodes?: EvmNodes;
  /** The block that a database which has read none begins behind; by default the final one. */
  startBlock?: number;
  /** How long another watcher waits for this one when it dies. Longer than any one call of a node. */
  leaseSeconds?: number;
}

const CHAIN = "base";
const LEASE_SECONDS = 15;
const MAX_BLOCKS = 2_000;
const MAX_RECEIVERS = 500;
const MIN_RECEIVERS = 10;

/** How much is asked for at once: less when a node finds it too large, more again as it goes well. */
interface Appetite {
  blocks: number;
  receivers: number;
}

export function createBaseWatcher({ freeze, nodes: given, startBlock, leaseSeconds = LEASE_SECONDS }: BaseWatcherOptions): Watcher {
  const holder = randomBase62(16);
  const appetite: Appetite = { blocks: MAX_BLOCKS, receivers: MAX_RECEIVERS };

  async function tick(signal?: AbortSignal): Promise<WatchReport> {
    const nodes = given ?? evmNodes();
    try {
      const lease = await takeLease({ chain: CHAIN, holder, seconds: leaseSeconds });
      if (!lease) return { outcome: "elsewhere" };
      const head = await readHead(nodes);
      if (head.doubt) return { outcome: "doubtful", doubt: head.doubt };
      return await readOn({ lease, head, nodes, appetite, freeze, startBlock, signal });
    } catch (error) {
      if (error instanceof LeaseLost) return { outcome: "elsewhere" };
      if (isEvmFailure(error)) return { outcome: "failed", kind: error.kind };
      throw error;
    }
  }

  return { tick, release: () => releaseLease(CHAIN, holder) };
}

interface Round {
  lease: Lease;
  head: Head;
  nodes: EvmNodes;
  appetite: Appetite;
  freeze: Freeze;
  startBlock: number | undefined;
  signal: AbortSignal | undefined;
}

async function readOn(round: Round): Promise<WatchReport> {
  const { lease, head, nodes, freeze } = round;
  const place = await findPlace(round);
  if ("lost" in place) return { outcome: "lost", block: place.lost };
  const { end, found, addresses } = await readToHead(round, place.end);
  const credited = await creditDue(lease, { head, nodes, addresses });
  if ("brokenBlock" in credited) return walkBehind(round, credited.brokenBlock);
  const isAtHead = end.block >= head.latest.number;
  const reversed = isAtHead ? await settleHead(lease, head, freeze) : 0;
  await readAgain(lease, head, addresses, nodes);
  await listForeignTokens(lease, addresses, nodes);
  const headLag = Math.max(0, head.latest.number - end.block);
  return { outcome: "read", headLag, reorgDepth: place.reorgDepth, found, credited: credited.count, reversed };
}

/** Where to read on: the newest end that is still on the chain; `lost`, the newest of all, when none of the kept ones is. */
async function findPlace({ lease, head, nodes, startBlock }: Round): Promise<{ end: ScanEnd; reorgDepth: number } | { lost: number }> {
  const ends = await readScanEnds(CHAIN);
  const [newest] = ends;
  if (!newest) {
    const start = startBlock === undefined ? head.finalized : await findBlock(startBlock, nodes);
    if (!start) throw new EvmFailure("behind", `no node has block ${startBlock}, where watching is to begin`);
    const end = { block: start.number, hash: start.hash };
    await openScan(lease, end);
    return { end, reorgDepth: 0 };
  }
  const standing = await findStanding(ends, nodes);
  if (!standing) return { lost: newest.block };
  const reorgDepth = newest.block - standing.block;
  if (reorgDepth > 0) {
    log().warn({ reorgDepth, block: standing.block }, "Base was reorganised");
    await walkBack(lease, standing);
  }
  return { end: standing, reorgDepth };
}

/** The newest of `ends` that one node has. A node that lacks the newest height altogether is behind, not reorganised. */
function findStanding(ends: readonly ScanEnd[], nodes: EvmNodes): Promise<ScanEnd | null> {
  return nodes.ask(async (node) => {
    for (const end of ends) {
      const block = await findBlockOf(node, end.block);
      if (!block) throw new EvmFailure("behind", `${node.name}: has no block ${end.block}`);
      if (block.hash === end.hash) return end;
    }
    return null;
  });
}

async function readToHead({ lease, head, nodes, appetite, signal }: Round, from: ScanEnd) {
  const addresses = await readWatchedAddresses();
  let end = from;
  let found = 0;
  while (end.block < head.latest.number && !signal?.aborted) {
    const toBlock = Math.min(end.block + appetite.blocks, head.latest.number);
    try {
      const range = await readBaseRange({ after: end, toBlock, addresses, chunkSize: appetite.receivers }, nodes);
      if (!(await recordRange(lease, end, range.end, range.found))) throw new LeaseLost(lease);
      end = range.end;
      found += range.found.length;
      appetite.blocks = Math.min(MAX_BLOCKS, appetite.blocks * 2);
    } catch (error) {
      if (!isEvmFailure(error) || error.kind !== "too_large" || !eatLess(appetite, toBlock - end.block)) throw error;
    }
  }
  return { end, found, addresses };
}

/** False when there is nothing smaller to ask for. */
function eatLess(appetite: Appetite, blocksAsked: number): boolean {
  if (blocksAsked > 1) appetite.blocks = Math.max(1, Math.floor(blocksAsked / 2));
  else if (appetite.receivers > MIN_RECEIVERS) appetite.receivers = Math.max(MIN_RECEIVERS, Math.floor(appetite.receivers / 2));
  else return false;
  return true;
}

/** A deposit names a block that is not on the chain although the cursor is: its range is read again. */
async function walkBehind({ lease }: Round, brokenBlock: number): Promise<WatchReport> {
  const before = (await readScanEnds(CHAIN)).find(({ block }) => block < brokenBlock);
  if (!before) return { outcome: "lost", block: brokenBlock };
  log().error({ brokenBlock }, "a deposit on Base names a block that is not on the chain");
  await walkBack(lease, before);
  return { outcome: "failed", kind: "moved" };
}
