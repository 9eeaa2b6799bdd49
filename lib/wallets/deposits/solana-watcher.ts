// The watcher of Solana: each tick polls for token accounts that changed, reads them on from where the last tick of any process ended, and
// credits final deposits. It can be stopped or killed anywhere: an incomplete step is read again.

import { randomBase62 } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { createSemaphore } from "@/lib/base/semaphore";
import { readSolanaHead, type SolanaHead } from "@/lib/chains/solana/finality";
import { type SolanaNodes, solanaNodes } from "@/lib/chains/solana/nodes";
import { findCustody, payableMint } from "../custody/custody";
import { type Lease, LeaseLost, releaseLease, takeLease } from "./lease";
import { isScanOpen, openScan } from "./scan";
import { type OpenDeposit, pickDue, readOpenDeposits, readSolanaAddresses, type SolanaAddress } from "./solana-cursor";
import { listSolanaForeignTokens } from "./solana-foreign-tokens";
import { isNodesFailure, pollBalances } from "./solana-poll";
import { endRound, findLost, readLag } from "./solana-record";
import { type Round, readAccounts, rescanAccounts } from "./solana-round";
import type { Watcher, WatchReport } from "./watcher";

export interface SolanaWatcherOptions {
  nodes?: SolanaNodes;
  /** How long another watcher waits when this one dies. Longer than any single node call. */
  leaseSeconds?: number;
}

const CHAIN = "solana";
const LEASE_SECONDS = 15;
const MAX_CALLS_AT_ONCE = 8;
/** Minimum accounts per tick to rescan, otherwise a thousandth of all: 10,000 accounts are rescanned within half an hour. */
const MIN_CHECKED = 10;

/** A watcher's memory between its ticks. Without it a tick reads a little more than necessary. */
interface Memory {
  callsAtOnce: number;
  /** Where the next poll starts. */
  start: number;
  /** Token accounts with more to read, even if their balance is unchanged. */
  open: Set<string>;
  /** Token accounts already logged as no longer ours. */
  strange: Set<string>;
}

/** Solana never causes an account to be frozen, since only final deposits are credited there. */
export function createSolanaWatcher({ nodes: given, leaseSeconds = LEASE_SECONDS }: SolanaWatcherOptions = {}): Watcher {
  const holder = randomBase62(16);
  const memory: Memory = { callsAtOnce: MAX_CALLS_AT_ONCE, start: 0, open: new Set(), strange: new Set() };

  async function tick(signal?: AbortSignal): Promise<WatchReport> {
    const nodes = given ?? solanaNodes();
    try {
      const lease = await takeLease({ chain: CHAIN, holder, seconds: leaseSeconds });
      if (!lease) return { outcome: "elsewhere" };
      const report = await watchRound(lease, { nodes, memory, signal });
      // Fewer concurrent calls after a refusal, more again on success.
      const { callsAtOnce } = memory;
      memory.callsAtOnce = report.outcome === "read" ? Math.min(MAX_CALLS_AT_ONCE, callsAtOnce + 1) : Math.ceil(callsAtOnce / 2);
      return report;
    } catch (error) {
      if (error instanceof LeaseLost) return { outcome: "elsewhere" };
      if (isNodesFailure(error)) return failed(error);
      throw error;
    }
  }

  return { tick, release: () => releaseLease(CHAIN, holder) };
}

const failed = (error: unknown): WatchReport => ({ outcome: "failed", kind: error instanceof Error ? error.message : "unknown" });

interface RoundOptions {
  nodes: SolanaNodes;
  memory: Memory;
  signal: AbortSignal | undefined;
}

async function watchRound(lease: Lease, { nodes, memory, signal }: RoundOptions): Promise<WatchReport> {
  const head = await readSolanaHead(nodes);
  const opened = await openDeposits(lease, head);
  const custody = await findCustody();
  const addresses = await readSolanaAddresses();
  const inTurn = createSemaphore(memory.callsAtOnce);
  const known = new Map(opened.map(({ id, block }) => [id, block]));
  const mint = custody === null ? "" : payableMint(custody);
  const round: Round = { lease, nodes, mint, finalized: head.finalized, addresses, known, inTurn, signal };
  const deadline = performance.now() + (lease.seconds * 1_000) / 2;
  const poll = await pollBalances([...addresses.values()], { nodes, mint, inTurn, start: memory.start, deadline });
  memory.start = poll.next;
  logStrange(poll.strange, memory);
  const due = pickDue(addresses.values(), Math.max(MIN_CHECKED, Math.ceil(addresses.size / 1_000)));
  const owners = new Set(opened.map(({ owner }) => owner));
  const waiting = [...addresses.values()].filter(({ owner, tokenAccount }) => owners.has(owner) || memory.open.has(tokenAccount));
  const looked = [...new Set([...waiting, ...poll.moved, ...due])].filter(({ tokenAccount }) => !memory.strange.has(tokenAccount));
  const first = await readAccounts(looked, round);
  memory.open = first.open;
  const again = await rescanAccounts(due, round);
  await listSolanaForeignTokens(lease, due, { nodes, inTurn });
  const failure = poll.failure ?? first.failure;
  const isComplete = failure === null && !signal?.aborted && first.gaps === 0;
  const reversed = await endRound(lease, { head, readSlot: isComplete ? head.finalized : 0, lost: await findLost(opened, head, nodes) });
  if (failure !== null) return failed(failure);
  const headLag = isComplete ? 0 : await readLag(head.finalized);
  const credited = first.credited + again.credited;
  return { outcome: "read", headLag, reorgDepth: 0, found: first.found + again.found, credited, reversed };
}

/** Opens the scan if necessary. Resolves with the deposits that are not final yet. */
async function openDeposits(lease: Lease, { finalized }: SolanaHead): Promise<OpenDeposit[]> {
  if (!(await isScanOpen(CHAIN))) await openScan(lease, { block: finalized, hash: `${finalized}` });
  return readOpenDeposits();
}

function logStrange(strange: readonly SolanaAddress[], memory: Memory): void {
  for (const { tokenAccount, accountId } of strange) {
    if (!memory.strange.has(tokenAccount))
      log().error({ tokenAccount, accountId }, "a Solana token account no longer belongs to its deposit address");
  }
  memory.strange = new Set(strange.map(({ tokenAccount }) => tokenAccount));
}
