// The watcher of Base: each tick reads the chain from where the last tick of any process ended, and credits safe deposits. It can be
// stopped or killed anywhere: each step is atomic.

import { randomBase62 } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { findBlock, findBlockOf } from "@/lib/chains/evm/blocks";
import { EvmFailure, isEvmFailure } from "@/lib/chains/evm/failure";
import { type Head, readHead } from "@/lib/chains/evm/head";
import { callEach, type EvmNodes, evmNodes } from "@/lib/chains/evm/nodes";
import { readWatchedAddresses } from "./addresses";
import { readBaseRange } from "./base-range";
import { creditDue, settleHead } from "./credit";
import { listForeignTokens } from "./foreign-tokens";
import { type Lease, LeaseLost, releaseLease, takeLease, whileKeeping } from "./lease";
import { rescan } from "./rescan";
import { openScan, readScanEnds, recordRange, type ScanEnd, walkBack } from "./scan";
import type { Watcher, WatchReport } from "./watcher";

export interface BaseWatcherOptions {
  nodes?: EvmNodes;
  /** A new database starts after this block; by default the final one. */
  startBlock?: number;
  /** How long another watcher waits when this one dies. Longer than any single node call. */
  leaseSeconds?: number;
}

const CHAIN = "base";
const LEASE_SECONDS = 15;
const MAX_BLOCKS = 2_000;
const MAX_RECEIVERS = 500;
const MIN_RECEIVERS = 10;
/** A node may refuse long lists of receivers for good, so a longer one is tried seldom. */
const RANGES_BEFORE_MORE_RECEIVERS = 50;

/** The scan window: shrinks when a range is too large for a node, and grows again on success. */
interface ScanWindow {
  blocks: number;
  /** Per request; 0 when few were still too many: then one block is read transaction by transaction. */
  receivers: number;
  /** Ranges that were read since `receivers` shrank. */
  rangesRead: number;
}

export function createBaseWatcher({ nodes: given, startBlock, leaseSeconds = LEASE_SECONDS }: BaseWatcherOptions = {}): Watcher {
  const holder = randomBase62(16);
  const window: ScanWindow = { blocks: MAX_BLOCKS, receivers: MAX_RECEIVERS, rangesRead: 0 };

  async function tick(signal?: AbortSignal): Promise<WatchReport> {
    const nodes = given ?? evmNodes();
    try {
      const lease = await takeLease({ chain: CHAIN, holder, seconds: leaseSeconds });
      if (!lease) return { outcome: "elsewhere" };
      const head = await readHead(nodes);
      if (head.doubt) return { outcome: "doubtful", doubt: head.doubt };
      return await readOn({ lease, head, nodes, window, startBlock, signal });
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
  window: ScanWindow;
  startBlock: number | undefined;
  signal: AbortSignal | undefined;
}

async function readOn(round: Round): Promise<WatchReport> {
  const { lease, head, nodes } = round;
  const start = await findStart(round);
  if ("lost" in start) return { outcome: "lost", block: start.lost };
  const { end, found, addresses } = await readToHead(round, start.end);
  const credited = await creditDue(lease, { head, nodes, addresses });
  if ("brokenBlock" in credited) return walkBehind(round, credited.brokenBlock);
  const isAtHead = end.block >= head.latest.number;
  const reversed = isAtHead ? await settleHead(lease, head) : 0;
  await rescan(lease, head, addresses, nodes);
  await listForeignTokens(lease, addresses, nodes);
  const headLag = Math.max(0, head.latest.number - end.block);
  return { outcome: "read", headLag, reorgDepth: start.reorgDepth, found, credited: credited.count, reversed };
}

/** Where to continue: the newest stored range end that is still on the chain. When none is, `lost` is the newest of all. */
async function findStart({ lease, head, nodes, startBlock }: Round): Promise<{ end: ScanEnd; reorgDepth: number } | { lost: number }> {
  const ends = await readScanEnds(CHAIN);
  const [newest] = ends;
  if (!newest) {
    const first = startBlock === undefined ? head.finalized : await findBlock(startBlock, nodes);
    if (!first) throw new EvmFailure("behind", `no node has block ${startBlock}, the configured start`);
    const end = { block: first.number, hash: first.hash };
    await openScan(lease, end);
    return { end, reorgDepth: 0 };
  }
  const standing = await findStanding(ends, nodes);
  if (!standing) return { lost: newest.block };
  const reorgDepth = newest.block - standing.block;
  if (reorgDepth > 0) {
    log().warn({ reorgDepth, block: standing.block }, "Base reorganized: reading its blocks again");
    await walkBack(lease, standing);
  }
  return { end: standing, reorgDepth };
}

/**
 * The newest of `ends` that any node has: deposits after it are taken back unless they are found again, so one node that shows other blocks
 * is not enough. A node without any block at the newest height is behind, not reorganised.
 */
async function findStanding(ends: readonly ScanEnd[], nodes: EvmNodes): Promise<ScanEnd | null> {
  const standing = await callEach(nodes, async (node) => {
    for (const end of ends) {
      const block = await findBlockOf(node, end.block);
      if (!block) throw new EvmFailure("behind", `${node.name}: has no block ${end.block}`);
      if (block.hash === end.hash) return end;
    }
    return null;
  });
  if (standing.length < nodes.quorum) throw new EvmFailure("behind", `only ${standing.length} nodes have the blocks that were read`);
  return ends.find((end) => standing.includes(end)) ?? null;
}

async function readToHead({ lease, head, nodes, window, signal }: Round, from: ScanEnd) {
  const addresses = await readWatchedAddresses();
  let end = from;
  let found = 0;
  while (end.block < head.latest.number && !signal?.aborted) {
    const toBlock = Math.min(end.block + window.blocks, head.latest.number);
    try {
      const wanted = { after: end, toBlock, addresses, chunkSize: window.receivers };
      const range = await whileKeeping(lease, () => readBaseRange(wanted, nodes));
      if (!(await recordRange(lease, end, range.end, range.found))) throw new LeaseLost(lease);
      end = range.end;
      found += range.found.length;
      grow(window);
    } catch (error) {
      if (!isEvmFailure(error) || error.kind !== "too_large" || !shrink(window, toBlock - end.block)) throw error;
    }
  }
  return { end, found, addresses };
}

function grow(window: ScanWindow): void {
  window.blocks = Math.min(MAX_BLOCKS, window.blocks * 2);
  window.rangesRead += 1;
  if (window.receivers > 0 && window.rangesRead < RANGES_BEFORE_MORE_RECEIVERS) return;
  window.receivers = window.receivers === 0 ? MAX_RECEIVERS : Math.min(MAX_RECEIVERS, window.receivers * 2);
  window.rangesRead = 0;
}

/** False when the window is already the smallest: one block, transaction by transaction. */
function shrink(window: ScanWindow, blocksRead: number): boolean {
  if (window.receivers === 0) return false;
  window.blocks = Math.max(1, Math.floor(blocksRead / 2));
  if (blocksRead > 1) return true;
  window.receivers = window.receivers > MIN_RECEIVERS ? Math.max(MIN_RECEIVERS, Math.floor(window.receivers / 4)) : 0;
  window.rangesRead = 0;
  return true;
}

/** A deposit's block is not on the chain although the cursor is: its range is read again. */
async function walkBehind({ lease }: Round, brokenBlock: number): Promise<WatchReport> {
  const before = (await readScanEnds(CHAIN)).find(({ block }) => block < brokenBlock);
  if (!before) return { outcome: "lost", block: brokenBlock };
  log().error({ brokenBlock }, "a deposit on Base refers to a block that is not on the chain");
  await walkBack(lease, before);
  return { outcome: "failed", kind: "moved" };
}
