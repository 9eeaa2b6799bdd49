// Commits of all that this process holds and settles: what arrives while a commit is under way goes into the next one,
// settlements before holds. So few disk flushes serve many requests, and holds and settlements of one wallet rarely wait for
// each other's locks.

import { dateOf, now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { afterwards } from "@/lib/base/observe/afterwards";
import { metrics } from "@/lib/base/observe/metrics";
import { onceKept } from "@/lib/base/once";
import { Batcher } from "@/lib/db/batcher";
import { isStatementError } from "@/lib/db/failure";
import { hasIdleHotConnection, queryHot } from "@/lib/db/hot-connections";
import type { CommitItem, HoldItem, SettleItem } from "./commit-items";
import { type CommitRow, commitStatement } from "./commit-statements";

const MOST_ITEMS = 256;
/** Fewer items are not worth a commit of their own while answers that are about to be handed out lead to more of them. */
const ENOUGH_ITEMS = 6;
/** So many are worth a commit of their own beside one that is under way; fewer would cost each of them more than they gain. */
const CROWD_OF_ITEMS = 20;
/** How long after the provider's own time limit a hold is still safe from the reaper: for the settlement. */
const SETTLE_MARGIN_MS = 60_000;

const batcher = onceKept(
  "commit batcher",
  () =>
    new Batcher<CommitItem, CommitRow>({
      run: commit,
      most: MOST_ITEMS,
      enough: ENOUGH_ITEMS,
      crowd: CROWD_OF_ITEMS,
      keyOf: (item) => (item.kind === "hold" ? item.hold.account : item.settle.account),
      hasRoom: hasIdleHotConnection,
      mayRetrySingly: isStatementError,
    }),
);

/** Decides one item together with those that arrive beside it; resolves when that is durable. */
export const submitToCommit = (item: CommitItem): Promise<CommitRow> => batcher().submit(item);

/** Resolves when everything that was submitted is done: for the drain. */
export const commitsIdle = (): Promise<void> => batcher().idle();

async function commit(items: readonly CommitItem[]): Promise<CommitRow[]> {
  const startedAt = performance.now();
  const holds: HoldItem[] = [];
  const settlements: SettleItem[] = [];
  const nextHolds: HoldItem[] = [];
  for (const item of items) {
    if (item.kind === "hold") holds.push(item.hold);
    else {
      settlements.push(item.settle);
      if (item.next) nextHolds.push(item.next);
    }
  }
  holds.push(...nextHolds);
  const at = now();
  const [rows = []] = await queryHot(commitStatement(settlements, holds, { at, until: holdDeadline(at) }));
  const ms = performance.now() - startedAt;
  afterwards(() => noteBatch(settlements.length, holds.length, ms));
  return inSubmittedOrder(items, rows, settlements.length, holds.length - nextHolds.length);
}

/** A hold outlives the provider's time limit by the margin: whoever settles later than that has died. */
export const holdDeadline = (placedAt: Date): Date => dateOf(placedAt.getTime() + config().PROVIDER_TOTAL_TIMEOUT_MS + SETTLE_MARGIN_MS);

/** The rows come settlements first, then holds, then those that came with a settlement; each item gets its own. */
function inSubmittedOrder(items: readonly CommitItem[], rows: CommitRow[], settlements: number, holds: number): CommitRow[] {
  let nextSettled = 0;
  let nextHeld = settlements;
  let nextAhead = settlements + holds;
  const ordered: CommitRow[] = [];
  for (const item of items) {
    const row = rows[item.kind === "settle" ? nextSettled++ : nextHeld++];
    if (!row) continue;
    if (item.kind === "settle" && item.next) row.next = rows[nextAhead++] ?? null;
    ordered.push(row);
  }
  return ordered;
}

function noteBatch(settlements: number, holds: number, ms: number): void {
  if (holds > 0) metrics().ledgerBatchSize.observe({ operation: "hold" }, holds);
  if (settlements > 0) metrics().ledgerBatchSize.observe({ operation: "settle" }, settlements);
  metrics().ledgerBatchSeconds.observe(ms / 1000);
}
